package sim

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// settle ends a run: no more faults, nobody else acts, and the gates come to rest.
// Then nothing may be left half done, and a candidate that deserves it is live.
func (w *world) settle() {
	w.tell("the world comes to rest")
	for _, m := range slices.Clone(w.managers) {
		for m.isParked() && w.violation == nil {
			w.release(m, true)
		}
	}
	if w.violation != nil {
		return
	}
	time.Sleep(20 * time.Second) // longer than any late effect
	if w.scene.Secret {
		w.makeSecret()
	}
	w.clockJump = max(w.clockJump, 0)
	w.refreshAll()
	for _, live := range w.cluster().Members(aliasName) {
		// Under another's read_only the engine refuses the alias call, which is tried
		// again and again.
		if state, _ := w.cluster().Look(live); w.isBlocked(state.UUID, []string{"read_only"}) {
			w.clear(live)
		}
	}
	for i, name := range w.gateNames() {
		if gate := w.api.gate(name); gate != nil && gate.Status.Failure != nil {
			w.requests++
			w.edit(i, func(g *v1alpha1.RelevanceGate) {
				metav1.SetMetaDataAnnotation(&g.ObjectMeta, v1alpha1.AnnotationRequestedAt, "rest")
			})
		}
	}
	if !w.comesToRest() || w.violation != nil {
		return
	}
	w.checkBlocksAtRest()
	w.checkProgress()
}

// comesToRest lets passes and Jobs follow on each other until twice nothing was
// written.
func (w *world) comesToRest() bool {
	quiet := 0
	for range 40 {
		writes := 0
		w.tidy()
		for _, job := range w.openJobs() {
			w.runJob(job, jobRuns, nil)
		}
		m := w.managers[0]
		for _, name := range w.gateNames() {
			m.cache.syncAll()
			p := w.startPass(m, name, nil)
			writes += p.writes
			if w.violation != nil {
				return false
			}
		}
		if quiet++; writes > 0 || len(w.openJobs()) > 0 {
			quiet = 0
		}
		if quiet == 2 {
			return true
		}
		time.Sleep(11 * time.Minute) // longer than any back-off
	}
	w.violate("I6", "the gates do not come to rest: %s", w.stateOf("a"))
	return false
}

// checkBlocksAtRest: every block is in a status, or somebody else's.
func (w *world) checkBlocksAtRest() {
	for _, name := range w.gateNames() {
		gate := w.api.gate(name)
		if gate == nil {
			continue
		}
		if gate.Status.Promotion != nil && w.engineFine(gate) {
			w.violate("I4", "a promotion is never ended: %s", w.stateOf(name))
		}
		uid, uuid, _ := strings.Cut(w.moved, ", ")
		if a := gate.Status.Alias; uid == string(gate.UID) && (a == nil || a.PromotedTo == nil || a.PromotedTo.UUID != uuid) {
			w.violate("I5", "the gate has moved the alias to %s and does not know it: %s", uuid, w.stateOf(name))
		}
	}
	for _, index := range w.indices() {
		state, _ := w.cluster().Look(index)
		if w.orphans[state.UUID] || w.recorded(state.UUID) {
			continue
		}
		for _, block := range state.Blocks {
			if !w.rivals[state.UUID+" "+block] {
				w.violate("I9", "the block %s is left on %s, and no status says so; %s", block, index, w.stateOf("a"))
			}
		}
	}
}

// engineFine: no block of others keeps the gate's index from being given back.
func (w *world) engineFine(gate *v1alpha1.RelevanceGate) bool {
	state, ok := w.cluster().Look(gate.Status.Promotion.To.Index)
	return !ok || !w.rivals[state.UUID+" read_only"]
}

// checkProgress: where nothing stands against it, the candidate is live.
func (w *world) checkProgress() {
	gate := w.api.gate("a")
	if gate == nil || w.scene.TwoGates || gate.Spec.Suspend || gate.Spec.Promotion.Policy != v1alpha1.PolicyAutomatic {
		return
	}
	candidate, ok := w.cluster().Look(gate.Spec.Candidate.Index)
	judged := w.goldens[w.versions[len(w.versions)-1]]
	members := w.cluster().Members(aliasName)
	status := gate.Status
	switch {
	case !ok, len(candidate.Aliases) > 0, judged == nil, len(members) > 1:
		return
	case gate.Spec.GoldenSet.Digest != "" && gate.Spec.GoldenSet.Digest != digestOf(judged):
		return
	case slices.Contains(status.RolledBack, candidate.UUID):
		return
	case status.Verdict == v1alpha1.VerdictFailed: // as measured: the live index may have become worse since
		return
	case status.Alias != nil && status.Alias.PromotedTo != nil && status.Alias.PromotedTo.UUID == candidate.UUID: // drift
		return
	case w.orphans[candidate.UUID] || w.isBlocked(candidate.UUID, candidate.Blocks):
		return
	}
	least, drop := fraction(gate.Spec.Metrics[0].Min), fraction(gate.Spec.Metrics[0].MaxDrop)
	scored := recall(candidate.Docs, judged)
	if len(members) == 0 && !gate.Spec.Promotion.CreateAlias || scored < least || len(candidate.Docs) < 3 {
		return
	}
	if len(members) == 1 {
		live, _ := w.cluster().Look(members[0])
		if scored < recall(live.Docs, judged)-drop || 2*len(candidate.Docs) < len(live.Docs) || w.isFiltered(members[0]) ||
			w.isBlocked(live.UUID, live.Blocks) {
			return
		}
	}
	w.violate("progress", "the candidate deserves to be live, and is not: %s", w.stateOf("a"))
}

// isBlocked tells whether somebody else's block is on the index.
func (w *world) isBlocked(uuid string, blocks []string) bool {
	return slices.ContainsFunc(blocks, func(block string) bool { return w.rivals[uuid+" "+block] })
}
