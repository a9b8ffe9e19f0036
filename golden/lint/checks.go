package lint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/relevance-gate/relevance-gate/golden"
)

// relevance finds queries without a relevant document.
func (l *linter) relevance() {
	from := l.opts.RelevantFrom
	if from == 0 {
		from = 1
	}
	for i, q := range l.set.Queries {
		relevant := func(j golden.Judgment) bool { return j.Grade > 0 && j.Grade >= from }
		if !q.ExpectNoResults && !slices.ContainsFunc(q.Judgments, relevant) {
			l.add(RuleNoRelevantDocument, l.set.QueryPlace(i), q.ID, "",
				fmt.Sprintf("query %s has no judgment with a grade of %v or more; add one, or set expectNoResults where nothing should be found", strconv.Quote(q.ID), from))
		}
	}
}

// reasons finds judgments that do not say why. Where none does, one finding is enough.
func (l *linter) reasons() {
	judgments, without := l.set.JudgmentCount(), 0
	for _, q := range l.set.Queries {
		without += countOf(q.Judgments, unreasoned)
	}
	if without == judgments && judgments > 0 {
		l.add(RuleMissingReason, l.whole(), "", "", fmt.Sprintf("none of the %d judgments says why; write reasons, so that the judgments can be checked", judgments))
		return
	}
	for i, q := range l.set.Queries {
		if n := countOf(q.Judgments, unreasoned); n > 0 {
			first := slices.IndexFunc(q.Judgments, unreasoned)
			l.add(RuleMissingReason, l.set.JudgmentPlace(i, first), q.ID, q.Judgments[first].DocID,
				fmt.Sprintf("query %s has %d of %d judgments without a reason, the first of document %s; write it", strconv.Quote(q.ID), n, len(q.Judgments), strconv.Quote(q.Judgments[first].DocID)))
		}
	}
}

func unreasoned(j golden.Judgment) bool { return strings.TrimSpace(j.Said().Why) == "" }

func countOf(judgments []golden.Judgment, is func(golden.Judgment) bool) int {
	n := 0
	for _, j := range judgments {
		if is(j) {
			n++
		}
	}
	return n
}

// grades finds sets and queries that know one grade only.
func (l *linter) grades() {
	all := map[float64]bool{}
	for _, q := range l.set.Queries {
		for _, j := range q.Judgments {
			all[j.Grade] = true
		}
	}
	if n := l.set.JudgmentCount(); len(all) == 1 && n > 1 {
		l.add(RuleOneGrade, l.whole(), "", "", fmt.Sprintf("all %d judgments have the same grade; judge documents that are better or worse too", n))
		return
	}
	for i, q := range l.set.Queries {
		other := func(j golden.Judgment) bool { return j.Grade != q.Judgments[0].Grade }
		if !q.ExpectNoResults && len(q.Judgments) > 1 && !slices.ContainsFunc(q.Judgments, other) {
			l.add(RuleOneGrade, l.set.QueryPlace(i), q.ID, "", fmt.Sprintf("query %s gives all its %d documents the grade %v; judge documents that are better or worse too",
				strconv.Quote(q.ID), len(q.Judgments), q.Judgments[0].Grade))
		}
	}
}

// A set is heavy with ties when more than this share of the pairs of relevant documents of a query have the same grade.
// Fewer pairs say nothing.
const (
	tieShare = 0.9
	tiePairs = 10
)

// ties finds sets whose grades hardly order the relevant documents.
func (l *linter) ties() {
	tied, pairs := 0, 0
	for _, q := range l.set.Queries {
		relevant := 0
		of := map[float64]int{}
		for _, j := range q.Judgments {
			if j.Grade > 0 {
				relevant++
				of[j.Grade]++
			}
		}
		pairs += relevant * (relevant - 1) / 2
		for _, n := range of {
			tied += n * (n - 1) / 2
		}
	}
	if pairs >= tiePairs && float64(tied) > tieShare*float64(pairs) {
		l.add(RuleTiedJudgments, l.whole(), "", "", fmt.Sprintf("of %d pairs of relevant documents of a query %d have the same grade, so graded metrics tell little more than which documents are relevant", pairs, tied))
	}
}

// depth finds out whether a metric looks deeper than the judgments go.
func (l *linter) depth() {
	shallow, fewest, counted := 0, -1, 0
	for i, q := range l.set.Queries {
		if q.ExpectNoResults {
			continue
		}
		counted++
		if len(q.Judgments) >= l.opts.K {
			continue
		}
		shallow++
		if fewest < 0 || len(q.Judgments) < len(l.set.Queries[fewest].Judgments) {
			fewest = i
		}
	}
	if shallow > 0 {
		q := l.set.Queries[fewest]
		l.add(RuleShallowJudgments, l.set.QueryPlace(fewest), "", "", fmt.Sprintf("k is %d, but %d of %d queries have fewer judged documents, query %s only %d; judge more, or use a smaller k",
			l.opts.K, shallow, counted, strconv.Quote(q.ID), len(q.Judgments)))
	}
}

// weights finds a query that outweighs all others.
func (l *linter) weights() {
	total := 0.0
	for _, q := range l.set.Queries {
		total += q.Weight
	}
	for i, q := range l.set.Queries {
		if len(l.set.Queries) > 1 && q.Weight > total/2 {
			l.add(RuleDominantQuery, l.set.QueryPlace(i), q.ID, "",
				fmt.Sprintf("query %s has %.0f %% of all weight, more than the others together; give it less, or add queries", strconv.Quote(q.ID), 100*q.Weight/total))
		}
	}
}

// duplicates finds queries that ask the same, and documents that they judge differently.
func (l *linter) duplicates() {
	exact, near := map[string]int{}, map[string]int{}
	for i, q := range l.set.Queries {
		if q.Text == "" {
			continue
		}
		params := ""
		if q.Params != nil {
			encoded, err := json.Marshal(q.Params)
			if err != nil {
				continue // no reader makes such
			}
			params = string(encoded)
		}
		text, words := norm.NFC.String(q.Text)+"\n"+params, wordsOf(q.Text)+"\n"+params
		if first, found := exact[text]; found {
			l.same(golden.RuleDuplicateQuery, first, i, "have the same text")
		} else if first, found := near[words]; found {
			l.same(RuleNearDuplicateQuery, first, i, "differ only in case, accents, punctuation or the order of words")
		} else {
			near[words] = i
		}
		if _, found := exact[text]; !found {
			exact[text] = i
		}
	}
}

// same adds the findings about two queries that ask the same.
func (l *linter) same(rule string, first, second int, how string) {
	a, b := l.set.Queries[first], l.set.Queries[second]
	where, here := l.set.QueryPlace(first), l.set.QueryPlace(second)
	line := fmt.Sprintf("line %d", where.Line)
	if where.File != here.File {
		line = fmt.Sprintf("%s, line %d", where.File, where.Line)
	}
	l.add(rule, here, b.ID, "", fmt.Sprintf("queries %s (%s) and %s %s; keep one of the two", strconv.Quote(a.ID), line, strconv.Quote(b.ID), how))
	conflict := golden.RuleConflictingJudgments
	if rule == RuleNearDuplicateQuery {
		conflict = rule // They may rightly differ: "dress shirt" is no "shirt dress".
	}
	grades := map[string]float64{}
	for _, j := range a.Judgments {
		grades[j.DocID] = j.Grade
	}
	for i, j := range b.Judgments {
		if grade, found := grades[j.DocID]; found && grade != j.Grade {
			l.add(conflict, l.set.JudgmentPlace(second, i), b.ID, j.DocID, fmt.Sprintf("queries %s and %s %s, yet document %s is %v for the one and %v for the other; decide for one grade",
				strconv.Quote(a.ID), strconv.Quote(b.ID), how, strconv.Quote(j.DocID), grade, j.Grade))
		}
	}
}

// The block of the accents of Latin, Greek and Cyrillic letters.
const (
	firstAccent = '\u0300'
	lastAccent  = '\u036f'
)

// wordsOf are the words of a text without case, accents, punctuation and order; the text itself if it has none.
func wordsOf(text string) string {
	var plain strings.Builder
	for _, r := range norm.NFKD.String(text) {
		switch {
		case r >= firstAccent && r <= lastAccent:
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r): // A mark of other scripts is a vowel, or makes another letter.
			plain.WriteRune(unicode.ToLower(r))
		default:
			plain.WriteByte(' ')
		}
	}
	words := strings.Fields(plain.String())
	if len(words) == 0 {
		return text
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// documents finds judged documents that the index does not have. Where it has none, one finding is enough.
func (l *linter) documents() {
	if len(l.opts.Missing) == 0 {
		return
	}
	missing := func(j golden.Judgment) bool { return l.opts.Missing[j.DocID] }
	all := true
	for _, q := range l.set.Queries {
		all = all && countOf(q.Judgments, missing) == len(q.Judgments)
	}
	if all {
		l.add(RuleMissingDocument, l.whole(), "", "", fmt.Sprintf("index %s has none of the %d judged documents; make sure that the field of the ids is right", l.opts.Index, len(l.opts.Missing)))
		return
	}
	for i, q := range l.set.Queries {
		if n := countOf(q.Judgments, missing); n > 0 {
			first := slices.IndexFunc(q.Judgments, missing)
			l.add(RuleMissingDocument, l.set.JudgmentPlace(i, first), q.ID, q.Judgments[first].DocID,
				fmt.Sprintf("index %s lacks %d of the %d documents that query %s judges, the first is %s; remove them, or index them", l.opts.Index, n, len(q.Judgments), strconv.Quote(q.ID), strconv.Quote(q.Judgments[first].DocID)))
		}
	}
}

// baseline finds what an earlier version of the set judged and this one does not.
func (l *linter) baseline() {
	if l.opts.Baseline == nil {
		return
	}
	now := map[string]int{}
	for i, q := range l.set.Queries {
		now[q.ID] = i
	}
	for _, before := range l.opts.Baseline.Queries {
		i, found := now[before.ID]
		if !found {
			l.add(RuleVanishedJudgment, l.whole(), before.ID, "", fmt.Sprintf("query %s of the baseline is gone, and with it %d judgments", strconv.Quote(before.ID), len(before.Judgments)))
			continue
		}
		judged := map[string]bool{}
		for _, j := range l.set.Queries[i].Judgments {
			judged[j.DocID] = true
		}
		vanished := func(j golden.Judgment) bool { return !judged[j.DocID] }
		if n := countOf(before.Judgments, vanished); n > 0 {
			first := before.Judgments[slices.IndexFunc(before.Judgments, vanished)].DocID
			l.add(RuleVanishedJudgment, l.set.QueryPlace(i), before.ID, first, fmt.Sprintf("query %s no longer judges %d of the %d documents of the baseline, the first is %s",
				strconv.Quote(before.ID), n, len(before.Judgments), strconv.Quote(first)))
		}
	}
}

// normalForms finds texts and ids that look like others and are not the same.
func (l *linter) normalForms() {
	odd := func(j golden.Judgment) bool { return !norm.NFC.IsNormalString(j.DocID) }
	for i, q := range l.set.Queries {
		if !norm.NFC.IsNormalString(q.Text) {
			l.add(RuleNotNormalized, l.set.QueryPlace(i), q.ID, "", fmt.Sprintf("the text of query %s is not in Unicode's normal form C; an engine may not find what the composed text finds", strconv.Quote(q.ID)))
		}
		if first := slices.IndexFunc(q.Judgments, odd); first >= 0 {
			l.add(RuleNotNormalized, l.set.JudgmentPlace(i, first), q.ID, q.Judgments[first].DocID,
				fmt.Sprintf("query %s judges document %s, whose id is not in Unicode's normal form C; an id is the same only byte by byte", strconv.Quote(q.ID), strconv.QuoteToASCII(q.Judgments[first].DocID)))
		}
	}
}
