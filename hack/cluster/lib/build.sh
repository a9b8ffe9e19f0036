# shellcheck shell=bash
# Builds the binaries, once per version: the folder's name is a hash of all that decides what is in it.

KUBERNETES_VERSION=$(awk '$1 == "k8s.io/kubernetes" { print $2 }' "$HERE/go.mod")
# shellcheck disable=SC2054 # the commas belong to the flag
GO_FLAGS=(
	-trimpath
	-gcflags=all=-dwarf=false # no debug information: a tenth less compile time
	-tags=grpcnotrace,no_btrfs,no_devmapper,no_zfs,netgo,osusergo
)
# Without its version, kubectl cannot tell whether it fits the server.
MINOR=${KUBERNETES_VERSION#v1.}
LD_FLAGS="-s -w -X k8s.io/component-base/version.gitVersion=$KUBERNETES_VERSION"
LD_FLAGS+=" -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=${MINOR%%.*}"

ENVTEST_PACKAGES=(
	go.etcd.io/etcd/server/v3
	k8s.io/kubernetes/cmd/{kube-apiserver,kubectl}
)
NODE_PACKAGES=(
	k8s.io/kubernetes/cmd/{kube-controller-manager,kube-proxy,kube-scheduler,kubelet}
	github.com/containerd/containerd/v2/cmd/{containerd,containerd-shim-runc-v2,ctr}
	github.com/containernetworking/plugins/plugins/{ipam/host-local,main/bridge,main/loopback}
	./{coredns,image,pause}
)

# need PROGRAM-OR-FILE=PACKAGE... installs the packages whose program or file is missing.
need() {
	local pair missing=()
	for pair in "$@"; do
		[[ -e ${pair%=*} ]] || command -v "${pair%=*}" >/dev/null || missing+=("${pair#*=}")
	done
	((${#missing[@]})) || return 0
	say "installing with apt: ${missing[*]}"
	{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >&2 ||
		die "please install these packages yourself: ${missing[*]}"
}

# build_key FILE... hashes the files, the build flags and the Go version.
build_key() {
	{
		go version
		echo "${GO_FLAGS[*]} $LD_FLAGS"
		cat "$@"
	} | sha256sum | cut -c1-12
}

# build_once FOLDER FUNCTION calls "FUNCTION TEMPORARY-FOLDER" unless the folder is there, and renames it when all is built:
# a killed build leaves nothing that looks finished.
build_once() {
	local folder=$1 function=$2 lock
	[[ ! -d $folder ]] || return 0
	mkdir -p "$BIN_ROOT"
	exec {lock}>"$folder.lock" # two at once: the second waits, and finds it built
	flock "$lock"
	if [[ ! -d $folder ]]; then
		say "building ${folder#"$REPO/"} (minutes when Go's build cache is cold)"
		rm -rf "$folder.partial"
		mkdir "$folder.partial"
		step "built ${folder##*/}" "$function" "$folder.partial" >&2
		mv "$folder.partial" "$folder"
	fi
	exec {lock}>&-
}

# go_build MODULE-FOLDER OUTPUT-FOLDER PACKAGE...
go_build() {
	local module=$1 output=$2
	shift 2
	CGO_ENABLED=0 go build -C "$module" "${GO_FLAGS[@]}" -ldflags "$LD_FLAGS" -o "$output/" "$@"
}

compile_envtest() {
	go_build "$HERE" "$1" "${ENVTEST_PACKAGES[@]}"
	mv "$1/server" "$1/etcd"
}

compile_all() {
	need gcc=gcc /usr/include/seccomp.h=libseccomp-dev pkg-config=pkg-config # for runc
	compile_envtest "$1"
	go_build "$HERE" "$1" "${NODE_PACKAGES[@]}"
	CGO_ENABLED=1 go build -C "$HERE" -trimpath -tags seccomp -ldflags "-s -w" -o "$1/" github.com/opencontainers/runc
	"$1/image" -path /pause "$1/pause" docker.io/local/pause:1 "$1/pause.tar"
}

cluster_build() {
	local key folder function=compile_all
	key=$(build_key "$HERE"/{go.mod,go.sum,coredns/main.go,image/main.go,pause/main.go})
	folder=$BIN_ROOT/$key
	# A full build serves envtest too.
	if [[ ${1:-} == --envtest && ! -d $folder ]]; then
		folder=$BIN_ROOT/envtest-$key
		function=compile_envtest
	fi
	build_once "$folder" "$function"
	ln -sfnT "${folder##*/}" "$BIN_ROOT/current"
	echo "$folder"
}

compile_rollouts() {
	go_build "$HERE/argo-rollouts" "$1" github.com/argoproj/argo-rollouts/cmd/rollouts-controller
	cp -r "$(go list -C "$HERE/argo-rollouts" -m -f '{{.Dir}}' github.com/argoproj/argo-rollouts)/manifests/crds" "$1/crds"
	chmod -R u+w "$1/crds" # the module cache is read-only
}

build_rollouts() {
	local folder
	folder=$BIN_ROOT/argo-rollouts-$(build_key "$HERE"/argo-rollouts/go.{mod,sum})
	build_once "$folder" compile_rollouts
	echo "$folder"
}

compile_helm() {
	go_build "$HERE/helm" "$1" helm.sh/helm/v4/cmd/helm
}

build_helm() {
	local folder
	folder=$BIN_ROOT/helm-$(build_key "$HERE"/helm/go.{mod,sum})
	build_once "$folder" compile_helm
	echo "$folder/helm"
}
