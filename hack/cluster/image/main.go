// Image writes a docker-archive tar with an image of one static binary, laid out as the project's Dockerfile lays it out:
// the binary at /relevance-gate, a numeric non-root user, the certificates of public authorities. It needs no container
// engine, and the same binary gives the same image.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

const certificates = "/etc/ssl/certs/ca-certificates.crt"

func main() {
	binaryPath := flag.String("path", "/relevance-gate", "path of the binary in the image, which is also the entrypoint")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "Usage: image [-path /PATH] BINARY NAME:TAG OUTPUT.tar")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 3 {
		flag.Usage()
		os.Exit(2)
	}

	size, err := write(flag.Arg(0), *binaryPath, flag.Arg(1), flag.Arg(2))
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
	fmt.Printf("%s: compressed size %d bytes\n", flag.Arg(1), size)
}

// write returns the compressed size of the image's layer, which is what a registry stores and a node pulls.
func write(binary, binaryPath, reference, output string) (int64, error) {
	tag, err := name.NewTag(reference)
	if err != nil {
		return 0, err
	}
	layer, err := newLayer(binary, binaryPath)
	if err != nil {
		return 0, err
	}
	size, err := layer.Size()
	if err != nil {
		return 0, err
	}

	image, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		Architecture: runtime.GOARCH,
		OS:           "linux",
		Config:       v1.Config{Entrypoint: []string{binaryPath}, User: "65532:65532", WorkingDir: "/"},
		RootFS:       v1.RootFS{Type: "layers"},
	})
	if err != nil {
		return 0, err
	}
	image, err = mutate.AppendLayers(image, layer)
	if err != nil {
		return 0, err
	}
	return size, tarball.WriteToFile(output, tag, image)
}

func newLayer(binary, binaryPath string) (v1.Layer, error) {
	program, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}

	// Headers without times or owners make the layer depend on its content alone.
	var buffer bytes.Buffer
	compressor := gzip.NewWriter(&buffer)
	archive := tar.NewWriter(compressor)
	add := func(file string, mode int64, content []byte) error {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: strings.TrimPrefix(file, "/"), Mode: mode, Size: int64(len(content))}
		if strings.HasSuffix(file, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err := archive.Write(content)
		return err
	}

	switch bundle, err := os.ReadFile(certificates); {
	case err == nil:
		for _, folder := range []string{"/etc/", "/etc/ssl/", path.Dir(certificates) + "/"} {
			if err := add(folder, 0o755, nil); err != nil {
				return nil, err
			}
		}
		if err := add(certificates, 0o644, bundle); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if err := add(binaryPath, 0o755, program); err != nil {
		return nil, err
	}
	if err := errors.Join(archive.Close(), compressor.Close()); err != nil {
		return nil, err
	}

	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(buffer.Bytes())), nil
	})
}
