package sim

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

func cutLine(raw []byte) (line, rest []byte, ok bool) { return bytes.Cut(raw, []byte("\n")) }

// isLookup tells a search by ids from one by a query.
func isLookup(body []byte) bool { return bytes.Contains(body, []byte(`"ids"`)) }

// action is something that others do: rivals, users, or the machine.
type action struct {
	name string
	// often is how often it is drawn, against the others.
	often int
	do    func(w *world, arg int)
}

// actions are in a fixed order: a run's seed chooses among them.
var actions = []action{
	{"write to the candidate", 3, func(w *world, arg int) { w.ask("PUT", "/"+w.candidate()+"/_doc/x", map[string]any{"name": "x"}) }},
	{"make the candidate worse", 2, func(w *world, arg int) {
		w.ask("PUT", "/"+w.candidate()+fmt.Sprintf("/_doc/d%d", arg%4+1), map[string]any{"name": "nothing"})
	}},
	{"make the candidate good", 2, func(w *world, _ int) {
		for i, word := range words {
			w.ask("PUT", fmt.Sprintf("/%s/_doc/d%d", w.candidate(), i+1), map[string]any{"name": word})
		}
	}},
	{"write through the alias", 1, func(w *world, _ int) { w.ask("PUT", "/"+aliasName+"/_doc/y", map[string]any{"name": "y"}) }},
	{"change the candidate's mapping", 1, func(w *world, _ int) {
		w.requests++
		w.ask("PUT", "/"+w.candidate()+"/_mapping", map[string]any{"_meta": map[string]any{"n": w.requests}})
	}},
	{"refresh", 1, func(w *world, _ int) { w.refreshAll() }},
	{"move the alias", 2, func(w *world, arg int) { w.moveAlias(w.anyIndex(arg)) }},
	{"move the alias to the candidate", 1, func(w *world, _ int) { w.moveAlias(w.candidate()) }},
	{"move the alias away and back", 1, func(w *world, arg int) {
		members := w.cluster().Members(aliasName)
		w.moveAlias(w.anyIndex(arg))
		if len(members) == 1 {
			w.moveAlias(members[0])
		}
	}},
	{"put the alias on one more index", 1, func(w *world, arg int) { w.ask("PUT", "/"+w.anyIndex(arg)+"/_alias/"+aliasName, nil) }},
	{"put the alias on all indices", 1, func(w *world, _ int) { w.ask("PUT", "/products-v*/_alias/"+aliasName, nil) }},
	{"take the alias away", 1, func(w *world, _ int) {
		for _, index := range w.cluster().Members(aliasName) {
			w.ask("DELETE", "/"+index+"/_alias/"+aliasName, nil)
		}
	}},
	{"put a filter on the alias", 1, func(w *world, _ int) {
		for _, index := range w.cluster().Members(aliasName) {
			w.ask("PUT", "/"+index+"/_alias/"+aliasName, map[string]any{"filter": map[string]any{"match_all": map[string]any{}}})
		}
	}},
	{"put the alias right", 2, func(w *world, _ int) {
		if members := w.cluster().Members(aliasName); len(members) != 1 {
			w.moveAlias("products-v1")
		} else {
			w.ask("PUT", "/"+members[0]+"/_alias/"+aliasName, map[string]any{"is_write_index": true})
		}
	}},
	{"put another alias on the candidate", 1, func(w *world, _ int) { w.ask("PUT", "/"+w.candidate()+"/_alias/other", nil) }},
	{"take the other alias away", 2, func(w *world, _ int) {
		for _, index := range w.cluster().Members("other") {
			w.ask("DELETE", "/"+index+"/_alias/other", nil)
		}
	}},
	{"make the candidate anew", 3, func(w *world, arg int) { w.remake(w.candidate(), 4-arg%3) }},
	{"delete the candidate", 1, func(w *world, _ int) { w.remove(w.candidate()) }},
	{"make the live index anew", 1, func(w *world, _ int) {
		if members := w.cluster().Members(aliasName); len(members) == 1 {
			w.remake(members[0], 4)
			w.ask("PUT", "/"+members[0]+"/_alias/"+aliasName, nil)
		}
	}},
	{"lift all blocks", 1, func(w *world, _ int) { w.clear(w.candidate()) }},
	{"lift all blocks and write", 3, func(w *world, _ int) {
		w.clear(w.candidate())
		w.ask("PUT", "/"+w.candidate()+"/_doc/z", map[string]any{"name": "z"})
	}},
	{"block the candidate", 1, func(w *world, arg int) { w.block(w.candidate(), arg) }},
	{"clear blocks of others", 2, func(w *world, _ int) {
		for _, name := range w.indices() {
			state, _ := w.cluster().Look(name)
			for _, block := range state.Blocks {
				if w.rivals[state.UUID+" "+block] || w.orphans[state.UUID] {
					w.clear(name)
					break
				}
			}
		}
	}},
	{"put another cluster behind the URL", 1, func(w *world, _ int) { w.otherCluster() }},
	{"change the golden set", 2, func(w *world, arg int) { w.setGolden(arg % 3) }},
	{"break the golden set", 1, func(w *world, _ int) { w.setGolden(3) }},
	{"mend the golden set", 2, func(w *world, _ int) { w.setGolden(0) }},
	{"delete a Job", 1, func(w *world, arg int) {
		if jobs := w.openJobs(); len(jobs) > 0 {
			_ = w.api.delete(keyOf(jobs[arg%len(jobs)]))
			w.api.collectGarbage()
		}
	}},
	{"label the gate", 2, func(w *world, _ int) {
		w.requests++
		w.edit(0, func(g *v1alpha1.RelevanceGate) { g.Labels = map[string]string{"n": fmt.Sprint(w.requests)} })
	}},
	{nextCandidate, 5, func(w *world, arg int) {
		w.candidates++
		w.fill(w.candidate(), pickOf(arg, 4, 4, 4, 3, 2))
		w.edit(0, func(g *v1alpha1.RelevanceGate) { g.Spec.Candidate.Index = w.candidate() })
	}},
	{"approve", 5, func(w *world, arg int) {
		w.edit(arg, func(g *v1alpha1.RelevanceGate) {
			if e := g.Status.Evaluation; e != nil {
				metav1.SetMetaDataAnnotation(&g.ObjectMeta, v1alpha1.AnnotationApprove, e.Key)
			}
		})
	}},
	{"take the approval back", 1, func(w *world, arg int) {
		w.edit(arg, func(g *v1alpha1.RelevanceGate) { delete(g.Annotations, v1alpha1.AnnotationApprove) })
	}},
	{"ask for another evaluation", 1, func(w *world, arg int) {
		w.requests++
		w.edit(arg, func(g *v1alpha1.RelevanceGate) {
			metav1.SetMetaDataAnnotation(&g.ObjectMeta, v1alpha1.AnnotationRequestedAt, fmt.Sprint(w.requests))
		})
	}},
	{"change the limit", 2, func(w *world, arg int) {
		w.edit(arg, func(g *v1alpha1.RelevanceGate) {
			g.Spec.Metrics[0].Min = pickOf(arg, v1alpha1.Fraction("0.7"), "0.9", "0.4", "0.7")
		})
	}},
	{"change the policy", 2, func(w *world, arg int) {
		w.edit(arg, func(g *v1alpha1.RelevanceGate) {
			g.Spec.Promotion.Policy = pickOf(arg, v1alpha1.PolicyAutomatic, v1alpha1.PolicyManual, v1alpha1.PolicyOff, v1alpha1.PolicyAutomatic)
		})
	}},
	{"change the lock", 1, func(w *world, arg int) {
		w.edit(arg, func(g *v1alpha1.RelevanceGate) {
			g.Spec.Promotion.Lock = pickOf(arg, v1alpha1.LockDuringSwap, v1alpha1.LockUntilPassed, v1alpha1.LockNone)
			g.Spec.Candidate.ReadyWhen = &v1alpha1.ReadyWhen{MinDocs: ptr.To[int64](3)}
		})
	}},
	{"suspend", 1, func(w *world, arg int) { w.edit(arg, func(g *v1alpha1.RelevanceGate) { g.Spec.Suspend = true }) }},
	{"go on", 3, func(w *world, arg int) { w.edit(arg, func(g *v1alpha1.RelevanceGate) { g.Spec.Suspend = false }) }},
	{"pin the golden set", 1, func(w *world, arg int) {
		w.edit(arg, func(g *v1alpha1.RelevanceGate) { g.Spec.GoldenSet.Digest = digestOf(goldenSets[arg%3]) })
	}},
	{"take the pin off", 1, func(w *world, arg int) { w.edit(arg, func(g *v1alpha1.RelevanceGate) { g.Spec.GoldenSet.Digest = "" }) }},
	{"delete the gate", 1, func(w *world, arg int) { w.deleteGate(arg) }},
	{"make the gate anew", 3, func(w *world, arg int) {
		if name := w.gateName(arg); w.api.gate(name) == nil {
			w.makeGate(name)
		}
	}},
	{"delete the Secret", 1, func(w *world, _ int) { _ = w.api.delete(objectKey{"secret", "engine"}) }},
	{"make the Secret", 3, func(w *world, _ int) {
		if w.scene.Secret {
			w.makeSecret()
		}
	}},
	{"collect garbage", 2, func(w *world, _ int) { w.tidy() }},
	{"set the clock", 1, func(w *world, arg int) {
		w.clockJump += pickOf(arg, time.Minute, 2*time.Hour, -time.Minute, 30*time.Hour)
	}},
	{"say that the candidate was rolled back", 1, func(w *world, arg int) {
		state, ok := w.cluster().Look(w.candidate())
		gate := w.api.gate(w.gateName(arg))
		if ok && gate != nil && gate.Status.Promotion == nil {
			gate = gate.DeepCopy()
			w.api.editStatus(gate, func() { gate.Status.RolledBack = append(gate.Status.RolledBack, state.UUID) })
		}
	}},
}

const nextCandidate = "name the next candidate"

// drawn holds the position of each action as often as it is drawn.
var drawn = func() []int {
	var list []int
	for i, each := range actions {
		list = append(list, slices.Repeat([]int{i}, each.often)...)
	}
	return list
}()

// numberOf is a number for the action of that name.
func numberOf(name string, arg int) int {
	at := slices.IndexFunc(drawn, func(i int) bool { return actions[i].name == name })
	return at + arg*len(drawn)
}

// An action's number holds which one it is, and its argument.
func actionAt(number int) action { return actions[drawn[number%len(drawn)]] }

func (w *world) act(number int) {
	each := actionAt(number)
	w.tell("  %s", each.name)
	each.do(w, number/len(drawn))
}

func pickOf[T any](arg int, from ...T) T { return from[arg%len(from)] }

func (w *world) gateName(arg int) string {
	names := w.gateNames()
	return names[arg%len(names)]
}

// edit changes a gate as a user does.
func (w *world) edit(arg int, change func(*v1alpha1.RelevanceGate)) {
	gate := &v1alpha1.RelevanceGate{ObjectMeta: metav1.ObjectMeta{Name: w.gateName(arg)}}
	w.api.edit(gate, func() { change(gate) })
}

// deleteGate deletes a gate. What it has locked may stay locked if no manager sees
// to it.
func (w *world) deleteGate(arg int) {
	gate := w.api.gate(w.gateName(arg))
	if gate == nil {
		return
	}
	if lock := gate.Status.Lock; lock != nil {
		w.orphans[lock.UUID] = true
	}
	if promotion := gate.Status.Promotion; promotion != nil {
		w.orphans[promotion.To.UUID] = true
	}
	for _, m := range w.managers {
		// A pass that is on its way may have recorded it in the meantime.
		if m.isParked() && m.pass.gate == gate.Name {
			w.orphanCandidate()
		}
	}
	_ = w.api.delete(keyOf(gate))
}

func (w *world) orphanCandidate() {
	if state, ok := w.cluster().Look(w.candidate()); ok {
		w.orphans[state.UUID] = true
	}
}

// indices are those of the current cluster, in a fixed order.
func (w *world) indices() []string {
	var names []string
	for i := 0; i <= w.candidates; i++ {
		name := fmt.Sprintf("products-v%d", i)
		if i == 0 {
			name = otherCandidate
		}
		if _, ok := w.cluster().Look(name); ok {
			names = append(names, name)
		}
	}
	return names
}

func (w *world) anyIndex(arg int) string {
	names := w.indices()
	if len(names) == 0 {
		return "none"
	}
	return names[arg%len(names)]
}

// moveAlias points the alias at one index, as a careful rival does.
func (w *world) moveAlias(index string) {
	type object = map[string]any
	var list []object
	for _, member := range w.cluster().Members(aliasName) {
		if member != index {
			list = append(list, object{"remove": object{"index": member, "alias": aliasName}})
		}
	}
	list = append(list, object{"add": object{"index": index, "alias": aliasName}})
	w.ask("POST", "/_aliases", object{"actions": list})
}

func (w *world) remove(index string) {
	if w.ask("DELETE", "/"+index, nil) == 403 {
		w.clear(index)
		w.ask("DELETE", "/"+index, nil)
	}
}

func (w *world) remake(index string, good int) {
	w.remove(index)
	w.fill(index, good)
}

// clear lifts every block.
func (w *world) clear(index string) {
	state, _ := w.cluster().Look(index)
	for _, block := range state.Blocks {
		delete(w.rivals, state.UUID+" "+block)
	}
	w.ask("PUT", "/"+index+"/_settings", map[string]any{"index.blocks.read_only": nil})
	w.ask("PUT", "/"+index+"/_settings", map[string]any{"index.blocks.write": nil, "index.hidden": nil})
}

// block sets one of the blocks that a lock is made of. It is the rival's own if no
// gate has recorded that it may set it.
func (w *world) block(index string, arg int) {
	block := pickOf(arg, "write", "read_only", "hidden")
	setting := pickOf(arg, "index.blocks.write", "index.blocks.read_only", "index.hidden")
	state, ok := w.cluster().Look(index)
	if ok && !slices.Contains(state.Blocks, block) && !w.recorded(state.UUID) && w.ask("PUT", "/"+index+"/_settings", map[string]any{setting: true}) == 200 {
		w.rivals[state.UUID+" "+block] = true
	}
}

// recorded tells whether a gate's status says that the index may have blocks.
func (w *world) recorded(uuid string) bool {
	for _, name := range w.gateNames() {
		gate := w.api.gate(name)
		if gate == nil {
			continue
		}
		lock, promotion := gate.Status.Lock, gate.Status.Promotion
		if lock != nil && lock.UUID == uuid || promotion != nil && promotion.To.UUID == uuid {
			return true
		}
	}
	return false
}

// otherCluster puts the other cluster behind the URL. Blocks on the first one can
// be given back by nobody from then on.
func (w *world) otherCluster() {
	for _, index := range w.indices() {
		state, _ := w.cluster().Look(index)
		w.orphans[state.UUID] = true
	}
	w.current = 1 - w.current
	w.logAlias()
}

func (w *world) refreshAll() {
	for _, index := range w.indices() {
		w.ask("POST", "/"+index+"/_refresh", nil)
	}
}

// expire deletes a Job that is no longer needed.
func (w *world) expire(key objectKey) {
	job, _ := w.api.objects[key].(*batchv1.Job)
	if job != nil && finished(job) && job.Spec.TTLSecondsAfterFinished != nil {
		_ = w.api.delete(key)
	}
}

// tidy is what the garbage collector and the TTL controller do.
func (w *world) tidy() {
	w.api.collectGarbage()
	for _, key := range w.api.keys() {
		w.expire(key)
	}
	w.api.collectGarbage()
}

// isFiltered tells whether the alias shows a part of the index only.
func (w *world) isFiltered(index string) bool {
	request := httptest.NewRequestWithContext(w.ctx, "GET", "/"+index+"/_alias", nil)
	recorder := httptest.NewRecorder()
	w.cluster().ServeHTTP(recorder, request)
	return bytes.Contains(recorder.Body.Bytes(), []byte(`"filter"`))
}
