package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// informers notes what is watched.
type informers struct {
	mu    sync.Mutex
	kinds []string
}

func (i *informers) add(listWatch toolscache.ListerWatcher, object runtime.Object, resync time.Duration, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
	i.mu.Lock()
	defer i.mu.Unlock()
	kind := fmt.Sprintf("%T", object)
	if name := object.GetObjectKind().GroupVersionKind().Kind; strings.HasSuffix(kind, "PartialObjectMetadata") {
		kind += " of " + name
	}
	i.kinds = append(i.kinds, kind)
	return toolscache.NewSharedIndexInformer(listWatch, object, resync, indexers)
}

// startManager runs the world's reconciler as the operator does, with the caches
// that the command `manager` sets up.
func (w *world) startManager() *informers {
	w.t.Helper()
	watched := &informers{}
	cached := CacheOptions([]string{w.namespace})
	cached.NewInformer = watched.add
	manager, err := ctrl.NewManager(server, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		Cache: cached,
	})
	must(w.t, err)
	w.r.Client, w.r.Live, w.r.Clock = manager.GetClient(), manager.GetAPIReader(), clock.RealClock{}
	must(w.t, w.r.SetupWithManager(manager, controller.Options{SkipNameValidation: ptr.To(true), MaxConcurrentReconciles: 2}))
	ctx, stop := context.WithCancel(w.t.Context())
	done := make(chan error)
	go func() { done <- manager.Start(ctx) }()
	w.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	})
	return watched
}

// eventually waits for a state without giving the gate a reason to be looked at.
func (w *world) eventually(what string, is func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(25 * time.Second); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("not within 25 s: %s; the gate is %s", what, w.state("gate"))
		}
	}
}

func TestAManagerReactsToWhatItWatchesAndRestsOtherwise(t *testing.T) {
	w := onElasticsearch(t, badDocs)
	watched := w.startManager()
	// It polls once a day, so that only the watches can bring the gate on.
	w.gate(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Evaluation.PollSeconds = 86400 })
	is := func(state string) func() bool { return func() bool { return w.state("gate") == state } }

	w.eventually("a new gate is measured", is(stateMeasures))
	w.runJob()
	w.eventually("a pod that has ended brings the verdict", is(stateFailed))

	atRest := func() bool {
		w.proxy.take()
		time.Sleep(time.Second)
		return len(w.proxy.take()) == 0
	}
	w.eventually("its own writes do not wake it for ever", atRest)

	w.golden("golden", strings.Replace(goldenText, `"hat"`, `"headgear"`, 1))
	w.eventually("a changed golden set is measured", is(stateMeasures))
	w.runJob()
	w.eventually("its result promotes the candidate", is(statePromoted))
	w.edit(func(gate *v1alpha1.RelevanceGate) { gate.Spec.Metrics[2].Min = "1" })
	w.eventually("changed limits bring another verdict", is(stateLiveBelow))
	w.annotate(v1alpha1.AnnotationRequestedAt, "now")
	w.eventually("the annotation measures once more", func() bool {
		return len(w.jobs()) == 3 && w.read().Status.Reason == v1alpha1.ReasonEvaluating
	})
	w.eventually("it waits for the pod", atRest)
	w.delete(w.job())
	w.eventually("a lost Job is seen", func() bool { return w.read().Status.Reason == v1alpha1.ReasonResultLost })

	watched.mu.Lock()
	defer watched.mu.Unlock()
	slices.Sort(watched.kinds)
	want := []string{"*v1.Job", "*v1.PartialObjectMetadata of ConfigMap", "*v1.Pod", "*v1alpha1.RelevanceGate"}
	if !slices.Equal(watched.kinds, want) {
		t.Errorf("it watches %v, want %v", watched.kinds, want)
	}
}
