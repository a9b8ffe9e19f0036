package golden

import "testing"

func TestDigest(t *testing.T) {
	const abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	for _, row := range []struct {
		name string
		raw  []byte
		want string
	}{
		{"the digest of a file is what sha256sum says", []byte("abc"), abc},
		{"packing changes nothing", packed(t, []byte("abc")), abc},
		{"nothing has a digest too", nil, "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got, err := Digest(row.raw); got != row.want || err != nil {
				t.Errorf("Digest = %s, %v; want %s", got, err, row.want)
			}
		})
	}
	if got, err := DigestFiles([]Source{{"f", []byte("a")}, {"g", packed(t, []byte("bc"))}}); got != abc || err != nil {
		t.Errorf("the digest of two files is %s, %v; want %s", got, err, abc)
	}
	if _, err := DigestFiles([]Source{{"f", nil}, {"g", []byte("\x1f\x8b")}}); err == nil || err.Error() != "g: it begins like a gzip file but ends too early; pack it again" {
		t.Errorf("DigestFiles: %v", err)
	}
	if got, err := Digest([]byte("\xef\xbb\xbfabc")); got == abc || err != nil {
		t.Errorf("a byte order mark does not count: %s, %v", got, err)
	}
}
