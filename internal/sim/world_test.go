package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// scene is what a run begins with.
type scene struct {
	Policy         v1alpha1.PromotionPolicy
	Lock           v1alpha1.LockMode
	Settle         int32
	NoAlias        bool // and the gate may make it
	SlowRefresh    bool // documents show after a refresh only
	Good           int  // at how many queries the first candidate is good
	TwoGates       bool // on the same alias
	SameCandidate  bool // of the two gates
	Secret         bool
	maxEvaluations int
}

// chooseScene draws one.
func chooseScene(random *rand.Rand) scene {
	s := scene{
		Policy:      pick(random, v1alpha1.PolicyAutomatic, v1alpha1.PolicyAutomatic, v1alpha1.PolicyAutomatic, v1alpha1.PolicyManual, v1alpha1.PolicyOff),
		Lock:        pick(random, v1alpha1.LockDuringSwap, v1alpha1.LockUntilPassed, v1alpha1.LockUntilPassed, v1alpha1.LockNone),
		Settle:      pick[int32](random, 0, 0, 30),
		NoAlias:     random.IntN(8) == 0,
		SlowRefresh: random.IntN(2) == 0,
		Good:        pick(random, 4, 4, 4, 3, 2),
		Secret:      random.IntN(3) == 0,
		TwoGates:    random.IntN(6) == 0,
	}
	s.SameCandidate = random.IntN(2) == 0
	s.maxEvaluations = random.IntN(2)
	return s
}

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

// world is all that there is in one run.
type world struct {
	ctx       context.Context //nolint:containedctx // the life of the run
	scene     scene
	api       *apiServer
	clusters  []*testengine.Cluster
	current   int // which of them is behind the URL
	managers  []*manager
	started   int
	clockJump time.Duration
	ids       int

	// seq counts what happens, to tell what came before what.
	seq int
	// aliasSince says since when an index has an alias, by UUID.
	aliasSince map[string]int
	// aliasLog is where the alias has pointed, oldest first.
	aliasLog []aliasState
	// moved is the index that the last change of the alias, a promotion of ours, has
	// put it on, as "gate's UID, index's UUID".
	moved string
	// rivals are blocks that others have set, as "UUID block".
	rivals map[string]bool
	// orphans are indices whose gate was deleted with a lock or a promotion on them.
	orphans map[string]bool

	measurements []*measurement
	goldens      map[string][]string // golden sets by resource version
	versions     []string            // of the golden set, oldest first
	candidates   int                 // indices made so far
	requests     int

	violation *violation
	counts    map[string]int
	tracing   bool
	trace     []string
}

// aliasState is where the alias points since a moment, as UUIDs.
type aliasState struct {
	seq  int
	uuid string // of all members
}

// violation is what must not have happened.
type violation struct{ invariant, text string }

func (v *violation) String() string { return v.invariant + ": " + v.text }

func (w *world) violate(invariant, format string, args ...any) {
	if w.violation == nil {
		w.violation = &violation{invariant, fmt.Sprintf(format, args...)}
		w.tell("  VIOLATION %s", w.violation)
	}
}

func (w *world) tell(format string, args ...any) {
	if w.tracing {
		w.trace = append(w.trace, fmt.Sprintf(format, args...))
	}
}

func (w *world) count(what string) { w.counts[what]++ }

func (w *world) cluster() *testengine.Cluster { return w.clusters[w.current] }

func (w *world) id() string {
	w.ids++
	return fmt.Sprintf("id-%d", w.ids)
}

func newWorld(ctx context.Context, s scene) *world {
	w := &world{
		ctx: ctx, scene: s, api: newAPIServer(), aliasSince: map[string]int{}, rivals: map[string]bool{}, orphans: map[string]bool{},
		goldens: map[string][]string{}, counts: map[string]int{},
	}
	for i := range 2 {
		w.clusters = append(w.clusters, testengine.NewCluster(find(func() *testengine.Cluster { return w.clusters[i] }), w.id))
	}
	// The second cluster is like the first, and holds other indices of the same names.
	for i := range w.clusters {
		w.current = 1 - i
		w.fill("products-v1", 4)
		if !s.NoAlias {
			w.ask("PUT", "/products-v1/_alias/"+aliasName, nil)
		}
		w.fill("products-v2", s.Good)
		if s.TwoGates && !s.SameCandidate {
			w.fill(otherCandidate, 4)
		}
	}
	w.candidates = 2
	w.setGolden(0)
	if s.Secret {
		w.makeSecret()
	}
	w.makeGate("a")
	if s.TwoGates {
		w.makeGate("b")
	}
	w.managers = []*manager{w.newManager()}
	return w
}

// fill creates an index that is good at the first n queries.
func (w *world) fill(index string, n int) {
	settings := map[string]any{"number_of_replicas": "0"}
	if w.scene.SlowRefresh {
		settings["refresh_interval"] = "-1"
	}
	w.ask("PUT", "/"+index, map[string]any{"settings": settings})
	docs := documents(n)
	for i := range words {
		id := fmt.Sprint("d", i+1)
		w.ask("PUT", "/"+index+"/_doc/"+id, map[string]any{"name": docs[id]})
	}
}

// otherCandidate is that of the second gate.
const otherCandidate = "products-b"

// setGolden writes one of the golden sets.
func (w *world) setGolden(which int) {
	judged := goldenSets[which]
	data := map[string]string{"es.json": goldenText(judged)}
	set := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: goldenName}}
	if !w.api.edit(set, func() { set.Data = data }) {
		set.Data = data
		_ = w.api.create(set)
	}
	if _, known := w.goldens[set.ResourceVersion]; !known {
		w.goldens[set.ResourceVersion] = judged
		w.versions = append(w.versions, set.ResourceVersion)
	}
}

func (w *world) makeSecret() {
	_ = w.api.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "engine"}, Data: map[string][]byte{"token": []byte("t")}})
}

// makeGate creates a gate as the scene has it.
func (w *world) makeGate(name string) {
	s := w.scene
	gate := &v1alpha1.RelevanceGate{ObjectMeta: metav1.ObjectMeta{Name: name}}
	gate.Spec = v1alpha1.RelevanceGateSpec{
		Engine:     v1alpha1.Engine{URL: "http://search.shop.svc:9200"},
		Alias:      aliasName,
		Candidate:  v1alpha1.Candidate{Index: w.candidate()},
		GoldenSet:  v1alpha1.GoldenSet{ConfigMapRef: &v1alpha1.ConfigMapKeyRef{Name: goldenName, Key: "es.json"}},
		Search:     v1alpha1.Search{Body: &runtime.RawExtension{Raw: []byte(`{"query": {"match": {"name": "{{query}}"}}}`)}},
		Metrics:    []v1alpha1.Metric{{Name: "recall@10", Min: "0.7", MaxDrop: "0.2"}},
		Promotion:  v1alpha1.Promotion{Policy: s.Policy, Lock: s.Lock, CreateAlias: s.NoAlias, MinDocsRatio: "0.5", ApprovalSeconds: 3600},
		Evaluation: v1alpha1.Evaluation{SettleSeconds: ptr.To(s.Settle), Repeats: 2, Retries: ptr.To[int32](2)},
	}
	if s.Lock == v1alpha1.LockUntilPassed {
		gate.Spec.Candidate.ReadyWhen = &v1alpha1.ReadyWhen{MinDocs: ptr.To[int64](3)}
	}
	if name == "b" && !s.SameCandidate {
		gate.Spec.Candidate.Index = otherCandidate
	}
	if s.Secret {
		gate.Spec.Engine.CredentialsSecretRef = &v1alpha1.SecretRef{Name: "engine"}
	}
	gate.SetDefaults()
	_ = w.api.create(gate)
}

// candidate is the newest index that was made to be one.
func (w *world) candidate() string { return fmt.Sprintf("products-v%d", max(w.candidates, 2)) }

// gateNames are the gates that the run may have.
func (w *world) gateNames() []string {
	if w.scene.TwoGates {
		return []string{"a", "b"}
	}
	return []string{"a"}
}

// stateOf is a gate in one line.
func (w *world) stateOf(name string) string {
	gate := w.api.gate(name)
	if gate == nil {
		return "gate " + name + " is gone"
	}
	s := gate.Status
	text := fmt.Sprintf("gate %s: %s/%s", name, s.Verdict, s.Reason)
	if s.Lock != nil {
		text += ", lock on " + s.Lock.UUID
	}
	if s.Promotion != nil {
		text += ", promotion to " + s.Promotion.To.UUID
	}
	if s.Alias != nil && s.Alias.PromotedTo != nil {
		text += ", promoted to " + s.Alias.PromotedTo.UUID
	}
	return text + "; alias on " + strings.Join(w.cluster().Members(aliasName), ", ") + "; " + cut(s.Message)
}

func cut(message string) string { return message[:min(len(message), 160)] }
