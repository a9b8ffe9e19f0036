package controllers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	testingclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/golden"
	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/report"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// server is the API server that the tests talk to; nil without KUBEBUILDER_ASSETS.
var server *rest.Config

var scheme = runtime.NewScheme()

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	// The tests wait for the API server and the engine most of the time.
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		if err := flag.Set("test.parallel", "8"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	log.SetLogger(zap.New(zap.WriteTo(logs)))
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			fmt.Fprintln(os.Stderr, "registering types:", err)
			return 1
		}
	}
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		return m.Run()
	}
	environment := &envtest.Environment{CRDDirectoryPaths: []string{"../config/crd"}, ErrorIfCRDPathMissing: true}
	config, err := environment.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "starting the API server:", err)
		return 1
	}
	defer func() {
		if err := environment.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the API server:", err)
		}
	}()
	config.QPS, config.Burst = 1000, 1000
	server = config
	return m.Run()
}

// logs keeps what the manager logs, to look for planted texts in it.
var logs = &lockedText{}

type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(raw []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(raw)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Texts that must never leave golden set, index and Secret.
const (
	plantedQuery    = "zweihander"
	plantedDocument = "quetzalcoatl"
	plantedSecret   = "correct-horse-battery"
)

// The documents of a good index: every query of the golden set finds what is
// relevant to it.
var goodDocs = map[string]string{
	"d1": "red " + plantedQuery + " shoe",
	"d2": "blue " + plantedQuery,
	"d3": "red hat",
	"d4": "green scarf",
}

// The documents of a bad one: the hat is not found by its name.
var badDocs = map[string]string{
	"d1": "red " + plantedQuery + " shoe",
	"d2": "blue " + plantedQuery,
	"d3": "red headgear",
	"d4": "green scarf",
}

const goldenText = `{"schema": "relevancegate.dev/golden/v1", "name": "shop", "queries": [
	{"id": "shoes", "query": "` + plantedQuery + ` shoe", "judgments": [{"id": "d1", "grade": 3}, {"id": "d2", "grade": 1}]},
	{"id": "hats", "query": "hat", "judgments": [{"id": "d3", "grade": 3}]},
	{"id": "scarves", "query": "scarf", "judgments": [{"id": "d4", "grade": 2}]}]}`

// world is one namespace, one engine behind a proxy, one gate and its reconciler.
type world struct {
	t         *testing.T
	k         client.Client // not counted
	namespace string
	engine    string // the engine's own address
	proxy     *proxy
	r         *Reconciler
	clock     *testingclock.FakePassiveClock
	writes    *counter
	events    *recorder
	logs      *fakeLogs

	alias, live, candidate string
}

// onElasticsearch makes a world with a live index behind the alias and, unless
// docs is nil, a candidate.
func onElasticsearch(t *testing.T, docs map[string]string) *world {
	t.Helper()
	t.Parallel()
	for _, entry := range strings.Fields(os.Getenv(testengine.Env)) {
		if url, ok := strings.CutPrefix(entry, "elasticsearch="); ok {
			return newWorld(t, strings.TrimSuffix(url, "/"), docs)
		}
	}
	t.Skipf("%s names no elasticsearch, so there is nothing to measure; hack/searchnode starts one.", testengine.Env)
	return nil
}

// onFake makes a world on an engine in memory that cannot search: the test says
// what the evaluation pod measured.
func onFake(t *testing.T, docs map[string]string) *world {
	t.Helper()
	t.Parallel()
	return newWorld(t, testengine.Fake(t), docs)
}

func newWorld(t *testing.T, engineURL string, docs map[string]string) *world {
	t.Helper()
	if server == nil {
		t.Skip("KUBEBUILDER_ASSETS is not set, so there is no API server to reconcile with; `make test` sets it.")
	}
	w := &world{t: t, engine: engineURL, proxy: newProxy(t, engineURL), writes: &counter{}, events: &recorder{}, logs: &fakeLogs{}}
	w.clock = testingclock.NewFakePassiveClock(time.Now())
	k, err := client.NewWithWatch(server, client.Options{Scheme: scheme})
	must(t, err)
	w.k = k
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "gate-"}}
	must(t, k.Create(t.Context(), namespace))
	w.namespace = namespace.Name
	w.r = w.newReconciler()

	w.live = testengine.Index(t, engineURL, "live", "")
	w.index(w.live, goodDocs)
	w.alias = testengine.Name(t, engineURL, "alias")
	w.pointAlias(w.live)
	w.candidate = testengine.Name(t, engineURL, "candidate")
	if docs != nil {
		testengine.Create(t, engineURL, w.candidate, "")
		w.index(w.candidate, docs)
	}
	w.golden("golden", goldenText)
	t.Cleanup(w.nothingLeaked)
	return w
}

// newReconciler makes one with a memory of its own, as another manager has.
func (w *world) newReconciler() *Reconciler {
	k, err := client.NewWithWatch(server, client.Options{Scheme: scheme})
	must(w.t, err)
	hosts, err := NewEngineHosts("127.0.0.1")
	must(w.t, err)
	return &Reconciler{
		Client: w.counting(k), Live: k, Events: w.events, Clock: w.clock, JobImage: "relevance-gate:test",
		Hosts: hosts, Logs: w.logs, memory: newMemory(),
	}
}

// counting counts writes, and keeps lists inside the world: other tests run at
// the same time in the same cluster.
func (w *world) counting(k client.WithWatch) client.Client {
	return interceptor.NewClient(k, interceptor.Funcs{
		List: func(ctx context.Context, k client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			return k.List(ctx, list, append(options, client.InNamespace(w.namespace))...)
		},
		Create: func(ctx context.Context, k client.WithWatch, object client.Object, options ...client.CreateOption) error {
			if err := w.writes.add(fmt.Sprintf("create %T", object)); err != nil {
				return err
			}
			return k.Create(ctx, object, options...)
		},
		Delete: func(ctx context.Context, k client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			if err := w.writes.add(fmt.Sprintf("delete %T", object)); err != nil {
				return err
			}
			return k.Delete(ctx, object, options...)
		},
		Patch: func(ctx context.Context, k client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			if err := w.writes.add(fmt.Sprintf("patch %T", object)); err != nil {
				return err
			}
			return k.Patch(ctx, object, patch, options...)
		},
		SubResourcePatch: func(ctx context.Context, k client.Client, sub string, object client.Object, patch client.Patch, options ...client.SubResourcePatchOption) error {
			if err := w.writes.add(fmt.Sprintf("patch %T/%s", object, sub)); err != nil {
				return err
			}
			return k.SubResource(sub).Patch(ctx, object, patch, options...)
		},
	})
}

// counter keeps the writes and may refuse some of them.
type counter struct {
	mu     sync.Mutex
	list   []string
	refuse func(write string) error
}

func (c *counter) add(write string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuse != nil {
		if err := c.refuse(write); err != nil {
			return err
		}
	}
	c.list = append(c.list, write)
	return nil
}

// take returns the writes so far and begins anew.
func (c *counter) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.list
	c.list = nil
	return list
}

// recorder keeps events as "Type Reason: note".
type recorder struct {
	mu   sync.Mutex
	list []string
}

func (r *recorder) Eventf(_ runtime.Object, _ runtime.Object, kind, reason, _, note string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, kind+" "+reason+": "+fmt.Sprintf(note, args...))
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// proxy stands between the manager and the engine: it counts requests, and a test
// can answer in the engine's place.
type proxy struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string
	// answer, if it is set and returns true, has answered.
	answer func(out http.ResponseWriter, request *http.Request) bool
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	address, err := url.Parse(target)
	must(t, err)
	p := &proxy{}
	forward := httputil.NewSingleHostReverseProxy(address)
	p.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, request *http.Request) {
		p.mu.Lock()
		p.requests = append(p.requests, request.Method+" "+request.URL.Path)
		answer := p.answer
		p.mu.Unlock()
		if answer == nil || !answer(out, request) {
			forward.ServeHTTP(out, request)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *proxy) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.requests
	p.requests = nil
	return list
}

// answerWith answers every request whose method and path contain part; "" stops it.
func (p *proxy) answerWith(part string, status int, contentType, body string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = func(out http.ResponseWriter, request *http.Request) bool {
		if part == "" || !strings.Contains(request.Method+" "+request.URL.Path, part) {
			return false
		}
		out.Header().Set("Content-Type", contentType)
		out.WriteHeader(status)
		_, _ = out.Write([]byte(body))
		return true
	}
}

func (p *proxy) before(part string, act func()) {
	once := sync.Once{}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = func(_ http.ResponseWriter, request *http.Request) bool {
		if strings.Contains(request.Method+" "+request.URL.Path, part) {
			once.Do(act)
		}
		return false
	}
}

func (p *proxy) clear() { p.answerWith("", 0, "", "") }

// index fills an index.
func (w *world) index(index string, docs map[string]string) {
	w.t.Helper()
	for _, id := range slices.Sorted(mapKeys(docs)) {
		testengine.Put(w.t, w.engine, index, id, fmt.Sprintf(`{"name": %q, "note": %q}`, docs[id], plantedDocument))
	}
}

func mapKeys[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

// pointAlias makes the alias point at these indices and at nothing else.
func (w *world) pointAlias(indices ...string) {
	w.t.Helper()
	// By name: a wildcard would meet the indices of other tests, which come and go.
	var actions []string
	members := map[string]any{}
	if status, answer := testengine.Try(w.t, "GET", w.engine+"/"+w.alias+"/_alias", ""); status == http.StatusOK {
		if err := json.Unmarshal([]byte(answer), &members); err != nil {
			w.t.Fatal(err)
		}
	}
	for index := range members {
		actions = append(actions, fmt.Sprintf(`{"remove": {"index": %q, "alias": %q}}`, index, w.alias))
	}
	for _, index := range indices {
		actions = append(actions, fmt.Sprintf(`{"add": {"index": %q, "alias": %q}}`, index, w.alias))
	}
	status, answer := testengine.Try(w.t, "POST", w.engine+"/_aliases", `{"actions": [`+strings.Join(actions, ",")+`]}`)
	if status != http.StatusOK && len(indices) > 0 {
		w.t.Fatalf("moving the alias: %d %s", status, answer)
	}
}

// pointsAt are the indices that the alias points at.
func (w *world) pointsAt() []string {
	w.t.Helper()
	status, answer := testengine.Try(w.t, "GET", w.engine+"/_alias/"+w.alias, "")
	if status == http.StatusNotFound {
		return nil
	}
	var indices map[string]any
	testengine.Decode(w.t, answer, &indices)
	return slices.Sorted(mapKeys(indices))
}

// expectAlias fails unless the alias points at exactly these indices.
func (w *world) expectAlias(indices ...string) {
	w.t.Helper()
	slices.Sort(indices)
	if got := w.pointsAt(); !slices.Equal(got, indices) {
		w.t.Errorf("the alias points at %v, want %v", got, indices)
	}
}

// blocks are the settings of the lock that an index has set, such as "write hidden".
func (w *world) blocks(index string) string {
	w.t.Helper()
	var set []string
	for _, block := range []string{"blocks.write", "blocks.read_only", "hidden"} {
		if testengine.Setting(w.t, w.engine, index, "index."+block) == "true" {
			set = append(set, strings.TrimPrefix(block, "blocks."))
		}
	}
	return strings.Join(set, " ")
}

func (w *world) expectBlocks(index, want string) {
	w.t.Helper()
	if got := w.blocks(index); got != want {
		w.t.Errorf("%s has the blocks %q, want %q", index, got, want)
	}
}

// golden writes a golden set into a ConfigMap.
func (w *world) golden(name, text string) {
	w.t.Helper()
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name}}
	_, err := ctrl.CreateOrUpdate(w.t.Context(), w.k, configMap, func() error {
		configMap.Data = map[string]string{"es.json": text}
		return nil
	})
	must(w.t, err)
}

// secret writes a Secret.
func (w *world) secret(name string, data map[string]string) {
	w.t.Helper()
	must(w.t, w.k.Create(w.t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name}, StringData: data}))
}

// gate creates the world's gate with edits made to it.
func (w *world) gate(edits ...func(*v1alpha1.RelevanceGate)) *v1alpha1.RelevanceGate {
	w.t.Helper()
	return w.gateNamed("gate", edits...)
}

func (w *world) gateNamed(name string, edits ...func(*v1alpha1.RelevanceGate)) *v1alpha1.RelevanceGate {
	w.t.Helper()
	gate := &v1alpha1.RelevanceGate{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name},
		Spec:       w.gateSpec(),
	}
	for _, edit := range edits {
		edit(gate)
	}
	must(w.t, w.k.Create(w.t.Context(), gate))
	return gate
}

// edit changes the spec or the metadata of the gate, as kubectl would.
func (w *world) edit(change func(*v1alpha1.RelevanceGate)) {
	w.t.Helper()
	gate := w.read()
	base := gate.DeepCopy()
	change(gate)
	must(w.t, w.k.Patch(w.t.Context(), gate, client.MergeFrom(base)))
}

func (w *world) annotate(key, value string) {
	w.t.Helper()
	w.edit(func(gate *v1alpha1.RelevanceGate) { metav1.SetMetaDataAnnotation(&gate.ObjectMeta, key, value) })
}

func (w *world) read() *v1alpha1.RelevanceGate {
	w.t.Helper()
	return w.readNamed("gate")
}

func (w *world) readNamed(name string) *v1alpha1.RelevanceGate {
	w.t.Helper()
	gate := &v1alpha1.RelevanceGate{}
	must(w.t, w.k.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, gate))
	return gate
}

func (w *world) request(name string) ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKey{Namespace: w.namespace, Name: name}}
}

// pass reconciles the gate once and returns when the next pass is due.
func (w *world) pass() time.Duration {
	w.t.Helper()
	return w.passOf("gate")
}

func (w *world) passOf(name string) time.Duration {
	w.t.Helper()
	result, err := w.r.Reconcile(w.t.Context(), w.request(name))
	must(w.t, err)
	return result.RequeueAfter
}

// later moves the clock.
func (w *world) later(d time.Duration) { w.clock.SetTime(w.clock.Now().Add(d)) }

// measured lets the gate's Job run and takes its result: from a settled candidate
// to the verdict, and the promotion if one follows.
func (w *world) measured() {
	w.t.Helper()
	w.pass()
	w.runJob()
	w.pass()
}

// jobs are the gates' Jobs, the oldest first.
func (w *world) jobs() []batchv1.Job {
	w.t.Helper()
	list := &batchv1.JobList{}
	must(w.t, w.k.List(w.t.Context(), list, client.InNamespace(w.namespace)))
	slices.SortStableFunc(list.Items, func(a, b batchv1.Job) int {
		return strings.Compare(fmt.Sprintf("%020s", a.ResourceVersion), fmt.Sprintf("%020s", b.ResourceVersion))
	})
	return list.Items
}

func (w *world) expectJobs(want int) {
	w.t.Helper()
	if got := len(w.jobs()); got != want {
		w.t.Fatalf("there are %d Jobs, want %d; the gate is %s", got, want, w.state("gate"))
	}
}

// job is the Job that the gate's status names.
func (w *world) job() *batchv1.Job {
	w.t.Helper()
	gate := w.read()
	if gate.Status.Evaluation == nil || gate.Status.Evaluation.Job == "" {
		w.t.Fatalf("the gate has no Job; it is %s", w.state("gate"))
	}
	return w.jobNamed(gate.Status.Evaluation.Job)
}

func (w *world) jobNamed(name string) *batchv1.Job {
	w.t.Helper()
	job := &batchv1.Job{}
	must(w.t, w.k.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, job))
	return job
}

// runJob plays Job controller and kubelet: it runs the evaluation that the Job's
// volumes describe, and ends a pod with what came of it.
func (w *world) runJob() {
	w.t.Helper()
	job := w.job()
	raw, err := w.evaluation(job)
	exitCode := int32(0)
	if err != nil {
		exitCode = 1
		raw, err = evaluate.AsFailure(err).Encode()
		must(w.t, err)
	}
	w.endPod(job, exitCode, string(raw))
}

// summary is the summary of the evaluation that the Job's volumes describe.
func (w *world) summary(job *batchv1.Job) string {
	w.t.Helper()
	raw, err := w.evaluation(job)
	must(w.t, err)
	return string(raw)
}

// evaluation does what `relevance-gate measure` does in the pod.
func (w *world) evaluation(job *batchv1.Job) ([]byte, error) {
	w.t.Helper()
	plan, config, files, err := evaluate.LoadPlan(w.mount(job))
	must(w.t, err)
	digest, err := golden.DigestFiles(files)
	must(w.t, err)
	if digest != plan.GoldenDigest {
		return nil, evaluate.NewFailure(evaluate.ReasonGoldenSetChanged, fmt.Errorf("another golden set is mounted"))
	}
	set, err := evaluate.ParseGoldenSet(plan, files)
	if err != nil {
		return nil, err
	}
	c, err := engine.New(config)
	must(w.t, err)
	defer c.Close()
	result, err := evaluate.Run(w.t.Context(), c, set, plan, nil)
	if err != nil {
		return nil, err
	}
	// The log is that of the last pod.
	w.logs.text.Reset()
	must(w.t, report.Text(&w.logs.text, result, nil, verdict.Limits{}, report.Style{}))
	frames := evaluate.NewFrameWriter(&w.logs.text, plan.EvaluationKey)
	must(w.t, report.WriteMeasurement(frames, result))
	must(w.t, frames.Close())
	return result.Summary(plan).Encode()
}

// fakeLogs has one log, for there is no kubelet to write any.
type fakeLogs struct {
	text bytes.Buffer
	err  error
	// opened counts how often the log was read.
	opened int
}

func (l *fakeLogs) Open(ctx context.Context, _ *corev1.Pod, container string, limit int64) (io.ReadCloser, error) {
	l.opened++
	if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > reportTimeout {
		return nil, errors.New("the log is read without a deadline")
	}
	if container != containerName || limit <= 0 {
		return nil, fmt.Errorf("%d bytes of the container %s are read", limit, container)
	}
	return io.NopCloser(bytes.NewReader(l.text.Bytes())), l.err
}

// mount writes the Job's projected volume into a folder, as the kubelet does.
func (w *world) mount(job *batchv1.Job) string {
	w.t.Helper()
	dir := w.t.TempDir()
	put := func(path string, content []byte) {
		file := filepath.Join(dir, path)
		must(w.t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(w.t, os.WriteFile(file, content, 0o600))
	}
	for _, source := range job.Spec.Template.Spec.Volumes[0].Projected.Sources {
		switch {
		case source.ConfigMap != nil:
			configMap := &corev1.ConfigMap{}
			must(w.t, w.k.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: source.ConfigMap.Name}, configMap))
			for _, item := range source.ConfigMap.Items {
				put(item.Path, append([]byte(configMap.Data[item.Key]), configMap.BinaryData[item.Key]...))
			}
		case source.Secret != nil:
			secret := &corev1.Secret{}
			must(w.t, w.k.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: source.Secret.Name}, secret))
			for _, item := range source.Secret.Items {
				if content, ok := secret.Data[item.Key]; ok {
					put(item.Path, content)
				}
			}
		}
	}
	return dir
}

// startPod creates the Job's pod, running.
func (w *world) startPod(job *batchv1.Job) *corev1.Pod {
	w.t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: w.namespace, GenerateName: job.Name + "-",
			Labels:          merged(job.Spec.Template.Labels, map[string]string{batchv1.JobNameLabel: job.Name}),
			OwnerReferences: ownedBy(batchv1.SchemeGroupVersion.WithKind("Job"), job),
		},
		Spec: job.Spec.Template.Spec,
	}
	must(w.t, w.k.Create(w.t.Context(), pod))
	return pod
}

// endPod ends the Job's pod: our container with this exit code and message, and
// beside it a sidecar that goes on running.
func (w *world) endPod(job *batchv1.Job, exitCode int32, message string, conditions ...corev1.PodCondition) *corev1.Pod {
	w.t.Helper()
	pod := w.startPod(job)
	pod.Status.Conditions = conditions
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{
		{Name: "sidecar", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
		{Name: containerName, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: exitCode, Message: message, Reason: map[bool]string{true: "Completed", false: "Error"}[exitCode == 0],
		}}},
	}
	must(w.t, w.k.Status().Update(w.t.Context(), pod))
	return pod
}

// failPod ends the Job's pod with a failure.
func (w *world) failPod(job *batchv1.Job, reason, message string) *corev1.Pod {
	w.t.Helper()
	raw, err := evaluate.NewFailure(reason, fmt.Errorf("%s", message)).Encode()
	must(w.t, err)
	return w.endPod(job, 1, string(raw))
}

// failJob ends a Job as failed, as the Job controller does.
func (w *world) failJob(job *batchv1.Job, reason string) {
	w.t.Helper()
	now := metav1.Now()
	job.Status.StartTime = &now
	job.Status.Failed = 1
	job.Status.Conditions = []batchv1.JobCondition{
		{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue, Reason: reason},
		{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: reason, LastTransitionTime: now},
	}
	must(w.t, w.k.Status().Update(w.t.Context(), job))
}

// editStatus writes the gate's status, as a manager before this one did.
func (w *world) editStatus(change func(*v1alpha1.RelevanceGateStatus)) {
	w.t.Helper()
	gate := w.read()
	base := gate.DeepCopy()
	change(&gate.Status)
	must(w.t, w.k.Status().Patch(w.t.Context(), gate, client.MergeFrom(base)))
}

// delete removes objects at once and for good, as the garbage collector would.
func (w *world) delete(objects ...client.Object) {
	w.t.Helper()
	for _, object := range objects {
		must(w.t, w.k.Delete(w.t.Context(), object, client.GracePeriodSeconds(0), client.PropagationPolicy(metav1.DeletePropagationBackground)))
	}
}

// state is the whole state of a gate in one line: verdict and reason, the
// conditions in their order, and what kstatus makes of it.
func (w *world) state(name string) string {
	w.t.Helper()
	gate := w.readNamed(name)
	text := fmt.Sprintf("%s/%s:", gate.Status.Verdict, gate.Status.Reason)
	for _, kind := range v1alpha1.ConditionTypes() {
		if condition := meta.FindStatusCondition(gate.Status.Conditions, kind); condition != nil {
			text += fmt.Sprintf(" %s=%s/%s", kind, condition.Status, condition.Reason)
		}
	}
	return text + " -> " + kstatusOf(w.t, gate)
}

func kstatusOf(t *testing.T, gate *v1alpha1.RelevanceGate) string {
	t.Helper()
	gate.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(gate)
	must(t, err)
	result, err := status.Compute(&unstructured.Unstructured{Object: content})
	must(t, err)
	return string(result.Status)
}

// expect compares the state of the gate, and makes sure of what holds in every
// state: it is of the present generation, its reasons are known ones, no finalizer
// is set, and a second pass writes nothing.
func (w *world) expect(want string) {
	w.t.Helper()
	w.expectOf("gate", want)
}

func (w *world) expectOf(name, want string) {
	w.t.Helper()
	gate := w.readNamed(name)
	if got := w.state(name); got != want {
		w.t.Fatalf("state\n got %s\nwant %s\nmessage: %s", got, want, gate.Status.Message)
	}
	if gate.Status.ObservedGeneration != gate.Generation {
		w.t.Errorf("observedGeneration is %d, the generation %d", gate.Status.ObservedGeneration, gate.Generation)
	}
	for _, condition := range gate.Status.Conditions {
		if condition.ObservedGeneration != gate.Generation && gate.Status.Reason != v1alpha1.ReasonSuspended {
			w.t.Errorf("condition %s is of generation %d, not %d", condition.Type, condition.ObservedGeneration, gate.Generation)
		}
		if !slices.Contains(v1alpha1.Reasons(), condition.Reason) {
			w.t.Errorf("condition %s has the unknown reason %s", condition.Type, condition.Reason)
		}
		if condition.Message == "" {
			w.t.Errorf("condition %s has no message", condition.Type)
		}
	}
	if len(gate.Finalizers) > 0 {
		w.t.Errorf("the gate has finalizers: %v", gate.Finalizers)
	}
	w.writes.take()
	events := len(w.events.all())
	w.passOf(name)
	if writes := w.writes.take(); len(writes) > 0 {
		w.t.Errorf("a second pass wrote: %v; the gate is %s", writes, w.state(name))
	}
	if now := w.events.all(); len(now) > events {
		w.t.Errorf("a second pass told: %v", now[events:])
	}
}

// expectMessage fails unless the gate's message contains all parts.
func (w *world) expectMessage(parts ...string) {
	w.t.Helper()
	message := w.read().Status.Message
	for _, part := range parts {
		if !strings.Contains(message, part) {
			w.t.Errorf("the message %q does not contain %q", message, part)
		}
	}
}

// nothingLeaked looks for planted texts in all that others can read.
func (w *world) nothingLeaked() {
	gates := &v1alpha1.RelevanceGateList{}
	jobs := &batchv1.JobList{}
	for _, list := range []client.ObjectList{gates, jobs} {
		if err := w.k.List(context.WithoutCancel(w.t.Context()), list, client.InNamespace(w.namespace)); err != nil {
			w.t.Error(err)
		}
	}
	raw, err := json.Marshal([]any{gates, jobs, w.events.all()})
	if err != nil {
		w.t.Error(err)
	}
	for _, planted := range []string{plantedQuery, plantedDocument, plantedSecret} {
		for where, text := range map[string]string{"the gates, Jobs and events": string(raw), "the log": logs.String()} {
			if strings.Contains(text, planted) {
				w.t.Errorf("%s is in %s: %s", planted, where, text)
			}
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Spec edits that many tests share.

func policy(p v1alpha1.PromotionPolicy) func(*v1alpha1.RelevanceGate) {
	return func(gate *v1alpha1.RelevanceGate) { gate.Spec.Promotion.Policy = p }
}

func lockUntilPassed(gate *v1alpha1.RelevanceGate) {
	gate.Spec.Promotion.Lock = v1alpha1.LockUntilPassed
	gate.Spec.Candidate.ReadyWhen = &v1alpha1.ReadyWhen{MinDocs: ptr.To[int64](1)}
}

func candidate(index string) func(*v1alpha1.RelevanceGate) {
	return func(gate *v1alpha1.RelevanceGate) { gate.Spec.Candidate.Index = index }
}

// gateSpec is the spec that gate begins with.
func (w *world) gateSpec() v1alpha1.RelevanceGateSpec {
	return v1alpha1.RelevanceGateSpec{
		Engine:    v1alpha1.Engine{URL: w.proxy.URL},
		Alias:     w.alias,
		Candidate: v1alpha1.Candidate{Index: w.candidate},
		GoldenSet: v1alpha1.GoldenSet{ConfigMapRef: &v1alpha1.ConfigMapKeyRef{Name: "golden", Key: "es.json"}},
		Search:    v1alpha1.Search{Body: &runtime.RawExtension{Raw: []byte(`{"query": {"match": {"name": "{{query}}"}}}`)}},
		Metrics: []v1alpha1.Metric{
			{Name: "ndcg@10", Min: "0.80", MaxDrop: "0.02"},
			{Name: "recall@50", Min: "0.75"},
			{Name: "precision@5"},
		},
		Promotion:  v1alpha1.Promotion{Policy: v1alpha1.PolicyAutomatic},
		Evaluation: v1alpha1.Evaluation{SettleSeconds: ptr.To[int32](0)},
	}
}

// podsOf counts the pods of a Job.
func (w *world) podsOf(job *batchv1.Job) int {
	w.t.Helper()
	pods := &corev1.PodList{}
	must(w.t, w.k.List(w.t.Context(), pods, client.InNamespace(w.namespace), client.MatchingLabels{batchv1.JobNameLabel: job.Name}))
	return len(pods.Items)
}

// watchedReader tells of every object that is read through it.
type watchedReader struct {
	client.Reader
	seen func(client.Object)
}

func readerFunc(seen func(client.Object), reader client.Reader) client.Reader {
	return watchedReader{reader, seen}
}

func (r watchedReader) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	r.seen(object)
	return r.Reader.Get(ctx, key, object, options...)
}

// lateClient shows a Job in lists only from the second list after its creation on,
// as a cache that lags behind.
type lateClient struct {
	client.Client
	mu   sync.Mutex
	seen map[string]int
}

func lateJobs(k client.Client) client.Client { return &lateClient{Client: k, seen: map[string]int{}} }

func (c *lateClient) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	if err := c.Client.List(ctx, list, options...); err != nil {
		return err
	}
	jobs, ok := list.(*batchv1.JobList)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	jobs.Items = slices.DeleteFunc(jobs.Items, func(job batchv1.Job) bool {
		c.seen[job.Name]++
		return c.seen[job.Name] < 8
	})
	return nil
}

// withoutPods lists no pods, as a cache that lags behind.
type withoutPods struct{ client.Client }

func (c withoutPods) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	if _, ok := list.(*corev1.PodList); ok {
		return nil
	}
	return c.Client.List(ctx, list, options...)
}

// failingReader fails to read a gate once it is told to.
type failingReader struct {
	client.Reader
	fail bool
}

func (r *failingReader) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	if _, ok := object.(*v1alpha1.RelevanceGate); ok && r.fail {
		return fmt.Errorf("the API server is busy")
	}
	return r.Reader.Get(ctx, key, object, options...)
}
