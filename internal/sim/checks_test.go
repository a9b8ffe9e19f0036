package sim

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
	"github.com/relevance-gate/relevance-gate/internal/testengine"
)

// The invariants of the design. What a rival changes between the last look of a pass
// and its call is not the pass's fault, so a call is judged by what the pass was
// told, and a pass by what it leaves behind.

// reading is an index as a pass was told of it.
type reading struct {
	at    int
	state testengine.State
}

// seen is what a pass was told, and what it did.
type seen struct {
	began int
	// known is the gate with the status that the pass goes by: as it was read, or as
	// the pass itself has written it.
	known                    *v1alpha1.RelevanceGate
	liveGate                 *v1alpha1.RelevanceGate
	liveGateAt               int
	liveGolden, cachedGolden string
	stats, aliases, settings map[string]reading // by index
	contents                 map[string]bool    // all that the fingerprints were of
	aliasWas                 *aliasState        // where the alias pointed
	pending                  map[string]reading // of an answer that is on its way
	pendingLive              *aliasState
	touched                  map[string]int // by index: when the pass last changed its settings
	blocked                  map[string]bool
	adds                     []*add
	doubledAt                int // when the pass has put the alias on a second index
}

// add is a promotion's call.
type add struct {
	index, uuid, from string
	backing           *measurement
	lock              v1alpha1.LockMode
	// What the index was at the call, if the call had an effect.
	applied   bool
	appliedAt int
	state     testengine.State
}

func newSeen(w *world) seen {
	w.seq++
	return seen{
		began: w.seq, contents: map[string]bool{}, stats: map[string]reading{}, aliases: map[string]reading{}, settings: map[string]reading{},
		touched: map[string]int{}, blocked: map[string]bool{},
	}
}

// checkCall looks at a manager's call before the engine carries it out.
func (w *world) checkCall(p *pass, call *engineCall) {
	p.pending, p.pendingLive = nil, nil
	switch {
	case call.method == http.MethodGet, call.op == "_count", call.op == "":
		if call.method != http.MethodGet && call.op == "" {
			w.violate("I5", "the manager sends %s", call)
		}
		w.look(p, call)
	case call.op == "_aliases":
		w.checkAliases(p, call)
	case call.op == "_refresh":
		w.checkLeftAlone(p, call)
	case call.op == "_block":
		w.checkBlock(p, call)
	case call.op == "_settings":
		w.checkSettings(p, call)
	default:
		w.violate("I9", "the manager sends %s", call)
	}
}

// look keeps what the answer to a question will say.
func (w *world) look(p *pass, call *engineCall) {
	p.pending = map[string]reading{}
	names := []string{call.index}
	if call.index == aliasName {
		names = w.cluster().Members(aliasName)
		p.pendingLive = &aliasState{seq: w.seq, uuid: w.aliasUUIDs()}
	}
	for _, name := range names {
		if state, ok := w.cluster().Look(name); ok {
			p.pending[name] = reading{w.seq, state}
		}
	}
}

// sawAnswer keeps what a pass was told.
func (p *pass) sawAnswer(call *engineCall, response *http.Response) {
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusNotFound || p.pending == nil {
		return
	}
	into := map[string]map[string]reading{"_stats": p.stats, "_alias": p.aliases, "_settings": p.settings}[call.op]
	if into != nil && response.StatusCode == http.StatusOK {
		maps.Copy(into, p.pending)
	}
	if call.op == "_stats" {
		p.contents[content(p.pending[call.index].state)] = true
	}
	if call.op == "_alias" && p.pendingLive != nil {
		p.aliasWas = p.pendingLive
	}
	p.pending, p.pendingLive = nil, nil
}

// aliasUUIDs are the UUIDs of what the alias points at, in one word.
func (w *world) aliasUUIDs() string {
	var uuids []string
	for _, member := range w.cluster().Members(aliasName) {
		state, _ := w.cluster().Look(member)
		uuids = append(uuids, state.UUID)
	}
	return strings.Join(uuids, " ")
}

// logAlias keeps where the alias points, if that has changed.
func (w *world) logAlias() {
	now := w.aliasUUIDs()
	if len(w.aliasLog) == 0 || w.aliasLog[len(w.aliasLog)-1].uuid != now {
		w.aliasLog, w.moved = append(w.aliasLog, aliasState{w.seq, now}), ""
	}
	for _, name := range w.indices() {
		state, _ := w.cluster().Look(name)
		if len(state.Aliases) == 0 {
			delete(w.aliasSince, state.UUID)
		} else if w.aliasSince[state.UUID] == 0 {
			w.aliasSince[state.UUID] = w.seq
		}
	}
}

// checkLeftAlone: I9. An index with an alias is not touched. It may have got the
// alias after the pass has looked.
func (w *world) checkLeftAlone(p *pass, call *engineCall) {
	state, ok := w.cluster().Look(call.index)
	if !ok || len(state.Aliases) == 0 {
		return
	}
	read, looked := p.aliases[call.index]
	if !looked || read.at >= w.aliasSince[state.UUID] && read.state.UUID == state.UUID {
		w.violate("I9", "%s, an index that has the alias %s", call, strings.Join(state.Aliases, ", "))
	}
}

// checkBlock: an index is blocked only if the status says so already.
func (w *world) checkBlock(p *pass, call *engineCall) {
	w.checkLeftAlone(p, call)
	if p.known == nil {
		return
	}
	uuid := p.settings[call.index].state.UUID
	lock, promotion := p.known.Status.Lock, p.known.Status.Promotion
	recorded := lock != nil && lock.UUID == uuid || promotion != nil && promotion.To.UUID == uuid
	if !recorded {
		w.violate("I4", "%s, and neither a lock nor a promotion of it is recorded", call)
	}
}

func (w *world) checkSettings(p *pass, call *engineCall) {
	state, ok := w.cluster().Look(call.index)
	for setting, value := range call.settings() {
		if value != nil {
			w.checkBlock(p, call)
			continue
		}
		block := strings.TrimPrefix(strings.TrimPrefix(setting, "index."), "blocks.")
		if ok && slices.Contains(state.Blocks, block) && w.rivals[state.UUID+" "+block] && p.settings[call.index].state.UUID == state.UUID {
			w.violate("I9", "%s takes off a block of somebody else", call)
		}
	}
}

// checkAliases: I4. The alias moves by one call that expects it where it was, after
// the intent was recorded.
func (w *world) checkAliases(p *pass, call *engineCall) {
	var adds, removes []string
	for _, each := range call.actions().Actions {
		switch {
		case each.Add != nil:
			adds = append(adds, each.Add.Index)
		case each.Remove != nil && each.Remove.MustExist:
			removes = append(removes, each.Remove.Index)
		default:
			w.violate("I4", "%s is not guarded by must_exist", call)
			return
		}
	}
	if len(adds) > 1 || len(removes) > 1 {
		w.violate("I4", "%s is no swap", call)
		return
	}
	var record *v1alpha1.PromotionStatus
	if p.known != nil {
		record = p.known.Status.Promotion
	}
	switch {
	case record == nil:
		w.violate("I4", "%s, and no promotion is recorded", call)
	case slices.Contains(removes, record.To.Index):
		w.count("undone")
		if len(adds) == 1 && (record.From == nil || adds[0] != record.From.Index || p.settings[adds[0]].state.UUID != record.From.UUID) {
			w.violate("I1", "%s undoes a promotion, but %s is not where the alias pointed before", call, adds[0])
		}
	case len(adds) == 0 || adds[0] != record.To.Index:
		w.violate("I1", "%s is not the promotion that is recorded", call)
	default:
		w.checkPromotion(p, call, record)
	}
}

// checkPromotion: I1. The index that the alias is added to holds what has passed, as
// the pass was told directly before.
func (w *world) checkPromotion(p *pass, call *engineCall, record *v1alpha1.PromotionStatus) {
	index := record.To.Index
	read, ok := p.stats[index]
	gate := p.liveGate
	switch {
	case !ok, read.at < p.touched[index]:
		w.violate("I1", "%s, and the fingerprint was not read after the last change of the blocks", call)
		return
	case record.Lock == v1alpha1.LockDuringSwap && p.touched[index] == 0:
		w.violate("I1", "%s, and the index is not blocked", call)
		return
	case gate == nil || p.liveGateAt < read.at:
		w.violate("I1", "%s, and the gate was not read once more directly before", call)
		return
	case read.state.UUID != record.To.UUID:
		w.violate("I1", "%s, but the index was made anew", call)
		return
	}
	key := record.EvaluationKey
	backing := w.backing(gate, key, p.liveGolden, map[string]bool{content(read.state): true}, p.aliasWas)
	if backing == nil {
		w.violate("I1", "%s, and what the index holds has not passed: content %s, golden set %s, alias on %s, key %s, measured %s",
			call, content(read.state), p.liveGolden, p.aliasWas.uuid, key, w.told(gate, key))
		return
	}
	approved := gate.Annotations[v1alpha1.AnnotationApprove] == key
	spec := &gate.Spec
	switch {
	case gate.UID != p.known.UID, spec.Suspend, spec.Promotion.Policy == v1alpha1.PolicyOff, spec.Candidate.Index != index:
		w.violate("I1", "%s, and the gate does not ask for it", call)
	case spec.Promotion.Policy == v1alpha1.PolicyManual && !approved:
		w.violate("I1", "%s, and it is not approved", call)
	case slices.Contains(gate.Status.RolledBack, record.To.UUID) && !approved:
		w.violate("I1", "%s, and the index was rolled back before", call)
	case spec.GoldenSet.Digest != "" && spec.GoldenSet.Digest != digestOf(w.goldens[p.liveGolden]):
		w.violate("I1", "%s, and another golden set is pinned", call)
	}
	from := ""
	if record.From != nil {
		from = record.From.Index
	}
	p.adds = append(p.adds, &add{index: index, uuid: record.To.UUID, from: from, backing: backing, lock: record.Lock})
}

// backing is a measurement that has passed by right, of that key and golden set, of
// one of the contents, if there are any, and of that live index, if one is given.
func (w *world) backing(gate *v1alpha1.RelevanceGate, key, goldenSet string, contents map[string]bool, live *aliasState) *measurement {
	for _, m := range w.measured(gate.UID, key) {
		if m.right(&gate.Spec) == v1alpha1.VerdictPassed && slices.Equal(w.goldens[m.golden], w.goldens[goldenSet]) &&
			(len(contents) == 0 || contents[m.candidate]) && (live == nil || m.liveUUID == live.uuid) {
			return m
		}
	}
	return nil
}

func (w *world) told(gate *v1alpha1.RelevanceGate, key string) string {
	raw := ""
	for _, m := range w.measured(gate.UID, key) {
		raw += m.String() + " "
	}
	return raw
}

// afterCall keeps what a call, of a pass or of somebody else, has changed.
func (w *world) afterCall(p *pass, call *engineCall, before []string, status int) {
	if call.method == http.MethodGet || status >= 300 {
		return
	}
	if call.op != "_settings" && call.op != "_doc" && call.op != "_refresh" && call.op != "_block" {
		w.logAlias()
	}
	if p == nil {
		return
	}
	switch call.op {
	case "_block":
		p.touched[call.index], p.blocked[call.index] = w.seq, true
	case "_settings":
		p.touched[call.index] = w.seq
		for _, value := range call.settings() {
			p.blocked[call.index] = p.blocked[call.index] || value != nil
		}
	case "_aliases":
		after := w.cluster().Members(aliasName)
		if len(before) <= 1 && len(after) > 1 {
			// An alias that is to be made cannot be expected to be missing. One that
			// somebody else has made meanwhile is taken off again.
			if len(call.actions().Actions) > 1 {
				w.violate("I4", "%s puts the alias on %s", call, strings.Join(after, " and "))
			}
			p.doubledAt = w.seq
		}
		for _, each := range call.actions().Actions {
			if last := len(p.adds) - 1; each.Add != nil && last >= 0 && each.Add.Index == p.adds[last].index {
				p.adds[last].applied, p.adds[last].appliedAt = true, w.seq
				p.adds[last].state, _ = w.cluster().Look(each.Add.Index)
				w.moved = string(p.known.UID) + ", " + p.adds[last].state.UUID
			}
		}
	}
}

// checkStatus looks at a status that a pass writes.
func (w *world) checkStatus(p *pass, old, changed *v1alpha1.RelevanceGate) {
	w.checkKept(old, changed)
	w.checkVerdict(p, changed)
	was, is := old.Status, changed.Status
	if is.Verdict != was.Verdict {
		w.count("verdict " + string(is.Verdict))
	}
	if is.Lock != nil && (was.Lock == nil || was.Lock.UUID != is.Lock.UUID) {
		w.count("locked")
		if read := p.settings[is.Lock.Index]; len(read.state.Blocks) > 0 {
			w.violate("I9", "a lock is recorded on %s, which somebody else has blocked: %v", is.Lock.Index, read.state.Blocks)
		}
	}
	promoted := func(s v1alpha1.RelevanceGateStatus) string {
		if s.Alias == nil || s.Alias.PromotedTo == nil {
			return ""
		}
		return s.Alias.PromotedTo.UUID
	}
	if now := promoted(is); now != promoted(was) {
		w.count("promoted")
		if !w.pointedAt(now, p.began) {
			w.violate("I4", "the status says that the alias was moved to %s, which it never pointed at", now)
		}
	}
}

// pointedAt tells whether the alias has pointed at that index alone since then.
func (w *world) pointedAt(uuid string, since int) bool {
	for i, state := range w.aliasLog {
		if state.uuid == uuid && (i+1 == len(w.aliasLog) || w.aliasLog[i+1].seq > since) {
			return true
		}
	}
	return false
}

// checkKept: I5. Verdicts stay in the history, numbers stay while their key does,
// and the index before stays known.
func (w *world) checkKept(old, changed *v1alpha1.RelevanceGate) {
	was, is := old.Status, changed.Status
	line := func(entries []v1alpha1.HistoryEntry) (lines []string) {
		for _, e := range entries {
			lines = append(lines, e.Key+string(e.Verdict)+e.Reason+e.At.String())
		}
		return lines
	}
	before, after := line(was.History), line(is.History)
	kept := false
	for added := 0; added <= 1 && !kept; added++ {
		rest := after[min(added, len(after)):]
		kept = len(rest) >= min(len(before), 9) && slices.Equal(rest, before[:min(len(rest), len(before))])
	}
	if !kept {
		w.violate("I5", "the history was %v and is %v", before, after)
	}
	asked := changed.Annotations[v1alpha1.AnnotationRequestedAt] != was.LastHandledReconcileAt
	if a, b := was.Evaluation, is.Evaluation; a != nil && a.CompletedAt != nil && !asked && (b == nil || b.Key == a.Key && b.CompletedAt == nil) {
		w.violate("I5", "the numbers of the key %s are lost", a.Key)
	}
	if a, b := was.Alias, is.Alias; a != nil && a.PromotedTo != nil {
		if b == nil || b.PromotedTo == nil || *b.PromotedTo == *a.PromotedTo && b.PromotedAt.Equal(a.PromotedAt) && a.PromotedFrom != nil && (b.PromotedFrom == nil || *b.PromotedFrom != *a.PromotedFrom) {
			w.violate("I5", "the index before the promotion is lost")
		}
	}
}

// checkVerdict: I2. A verdict is one that a measurement deserves, with the golden
// set that there is, and an open gate has passed.
func (w *world) checkVerdict(p *pass, gate *v1alpha1.RelevanceGate) {
	status := gate.Status
	open := meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionReady)
	if open && status.Verdict != v1alpha1.VerdictPassed {
		w.violate("I2", "the gate is open with the verdict %s", status.Verdict)
	}
	if status.Reason == v1alpha1.ReasonSuspended || status.Verdict != v1alpha1.VerdictPassed && status.Verdict != v1alpha1.VerdictFailed {
		return
	}
	evaluation := status.Evaluation
	if evaluation == nil || evaluation.CompletedAt == nil {
		w.violate("I2", "the verdict is %s, and nothing was measured", status.Verdict)
		return
	}
	held := map[string]bool{}
	if c := evaluation.Candidate; c != nil && p.aliasWas != nil && p.aliasWas.uuid != c.UUID {
		held = p.contents // not at rest: the candidate must still be what was measured
	}
	if status.Verdict == v1alpha1.VerdictFailed {
		for _, m := range w.measured(gate.UID, evaluation.Key) {
			if m.right(&gate.Spec) == v1alpha1.VerdictFailed && (len(held) == 0 || held[m.candidate]) {
				return
			}
		}
		w.violate("I2", "the verdict is Failed, and what was measured deserves another one: %s", w.told(gate, evaluation.Key))
		return
	}
	if w.backing(gate, evaluation.Key, p.cachedGolden, held, nil) == nil {
		w.violate("I2", "the verdict is Passed, and what was measured deserves another one: golden set %s, contents %v, measured %s",
			p.cachedGolden, held, w.told(gate, evaluation.Key))
	}
}

// checkCreated: I6. No second Job measures what one measures already, or has measured.
func (w *world) checkCreated(p *pass, object client.Object) {
	job, ok := object.(*batchv1.Job)
	if !ok {
		return
	}
	w.count("Job")
	key := w.keyOfJob(job.Name)
	for _, other := range w.openJobs() {
		if other.Name != job.Name && metav1.GetControllerOf(other).UID == metav1.GetControllerOf(job).UID && w.keyOfJob(other.Name) == key && !w.ended(other) {
			w.violate("I6", "Job %s measures what %s is measuring", job.Name, other.Name)
		}
	}
	if e := p.known.Status.Evaluation; e != nil && e.Key == key && e.CompletedAt != nil && p.known.Annotations[v1alpha1.AnnotationRequestedAt] == p.known.Status.LastHandledReconcileAt {
		w.violate("I6", "Job %s measures what is in the status", job.Name)
	}
}

func (w *world) keyOfJob(name string) string {
	planMap, _ := w.api.objects[objectKey{"configmap", name}].(*corev1.ConfigMap)
	if planMap == nil {
		return "none of " + name
	}
	var plan evaluate.Plan
	_ = json.Unmarshal([]byte(planMap.Data["plan.json"]), &plan)
	return plan.EvaluationKey
}

// ended tells whether the Job's container has.
func (w *world) ended(job *batchv1.Job) bool {
	pod, _ := w.api.objects[objectKey{"pod", job.Name + "-pod"}].(*corev1.Pod)
	return pod != nil && pod.Status.ContainerStatuses[0].State.Terminated != nil
}

// checkPass looks at what a pass leaves behind. One whose calls were disturbed may
// leave its work to the next.
func (w *world) checkPass(p *pass) {
	if !p.finished || p.disturbed || p.err != nil || p.known == nil {
		w.leftBehind(p)
		return
	}
	for _, a := range p.adds {
		w.checkUndone(p, a)
	}
	if last := w.aliasLog[len(w.aliasLog)-1]; p.doubledAt > 0 && last.seq == p.doubledAt {
		w.violate("I4", "the pass has put the alias on two indices, and leaves it there")
	}
	for _, index := range slices.Sorted(maps.Keys(p.blocked)) {
		state, ok := w.cluster().Look(index)
		if !ok || len(state.Blocks) == 0 || !p.blocked[index] || w.rivals[state.UUID+" "+state.Blocks[0]] {
			continue
		}
		if read := p.aliases[index]; len(state.Aliases) > 0 && read.state.UUID == state.UUID && read.at >= w.aliasSince[state.UUID] {
			w.violate("I9", "the pass leaves %s blocked (%v), which has the alias %v", index, state.Blocks, state.Aliases)
		}
		if !w.recorded(state.UUID) && w.api.gate(p.gate) != nil && w.api.gate(p.gate).UID == p.known.UID {
			w.violate("I9", "the pass leaves %s blocked (%v), and nothing says so", index, state.Blocks)
		}
	}
}

// leftBehind keeps in mind what a pass has blocked that was cut short when no status
// spoke of it any more: another manager has taken over, or the block has hit an index
// made anew. Nobody can know whose it is, so the next pass asks the user to clear it.
func (w *world) leftBehind(p *pass) {
	for index := range p.blocked {
		if state, ok := w.cluster().Look(index); ok && !w.recorded(state.UUID) {
			w.orphans[state.UUID] = true
		}
	}
}

// checkUndone: I1. What a rival has changed between the last look and the call is
// undone and not taken for a promotion.
func (w *world) checkUndone(p *pass, a *add) {
	if !a.applied {
		return
	}
	same := a.state.UUID == a.uuid && (a.lock == v1alpha1.LockNone || content(a.state) == a.backing.candidate)
	if same {
		return
	}
	w.count("raced")
	if status := p.known.Status; status.Alias != nil && status.Alias.PromotedTo != nil && status.Alias.PromotedTo.UUID == a.state.UUID {
		w.violate("I1", "the alias was moved to %s, which had changed, and the status calls that a promotion", a.index)
	}
	last := w.aliasLog[len(w.aliasLog)-1]
	if last.uuid == a.state.UUID && last.seq == a.appliedAt {
		from, there := w.cluster().Look(a.from)
		stuck := slices.Contains(from.Blocks, "read_only") || slices.Contains(a.state.Blocks, "read_only")
		if there && !stuck && (p.known.Status.Promotion == nil || from.UUID == p.known.Status.Promotion.From.UUID) {
			w.violate("I1", "the alias was moved to %s, which had changed, and stays there", a.index)
		}
	}
}
