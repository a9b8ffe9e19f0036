package v1alpha1_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// refusal is a gate that breaks one rule, and what the API server says about it.
type refusal struct {
	name string
	edit edit
	// field is where the fault is, and message what it is.
	field, message string
}

func named(name string) edit {
	return func(gate *unstructured.Unstructured) { gate.SetName(name) }
}

func metric(fields object) edit {
	m := object{"name": "ndcg@10", "min": "0.80"}
	for name, value := range fields {
		m[name] = value
	}
	return set("metrics", list{m})
}

func with(edits ...edit) edit {
	return func(gate *unstructured.Unstructured) {
		for _, e := range edits {
			e(gate)
		}
	}
}

func segment(name, metric string) object {
	return object{"segment": name, "metric": metric, "min": "0.85"}
}

// ruleRefusals break one CEL rule each. TestEveryRuleHasARow finds a rule without a row.
func ruleRefusals() []refusal {
	const (
		notOneAlias   = `spec.alias must be one name, without spaces, wildcards or any of \ / " < > | , # :`
		notOneIndex   = `spec.candidate.index must be the name of one index, without spaces, wildcards or any of \ / " < > | , # :`
		notOnePattern = `spec.candidate.pattern must be one pattern, without spaces or any of \ / ? " < > | , # :`
		badAlias      = "spec.alias must not begin with - _ or +, and must not be . or .."
		badIndex      = "spec.candidate.index must not begin with - _ or +, and must not be . or .."
		notURL        = "spec.engine.url must be an http or https address, such as https://search.shop.svc:9200"
		credentials   = "spec.engine.url must not contain credentials: name a Secret in spec.engine.credentialsSecretRef"
		queryInURL    = "spec.engine.url must not have a query or a fragment"
		oneEngine     = "exactly one of spec.engine.url and spec.engine.elasticsearchRef must be set"
		oneIndex      = "exactly one of spec.candidate.index and spec.candidate.pattern must be set"
		oneSign       = "exactly one of spec.candidate.readyWhen.minDocs and spec.candidate.readyWhen.meta must be set"
		oneSet        = "exactly one of spec.goldenSet.configMapRef and spec.goldenSet.configMapSelector must be set"
		noLabel       = "spec.goldenSet.configMapSelector must name a label: an empty one would select every ConfigMap of the namespace"
		oneBody       = "exactly one of spec.search.body, spec.search.bodyConfigMapRef and spec.search.storedTemplate must be set"
		noLimit       = "a gate needs a limit: set min or maxDrop on at least one of spec.metrics, or spec.regressions.maxQueries, or spec.segments"
		noScale       = "the metric err needs spec.goldenSet.maxGrade: its value depends on the highest grade of the scale"
		badSegment    = "the metric of each of spec.segments.limits must be the name of one of spec.metrics"
		unsure        = "the confidence of a metric must be from 0.5 to 0.999"
		badMetric     = "the name of a metric must be a word and, where the metric has a cut, @ and a number: ndcg@10"
		unlimited     = "dcg and unjudgedRate can have no limit, as dcg is not normalised and less of unjudgedRate is better: put it on ndcg or judged"
		badLoss       = "spec.regressions.metric cannot be dcg or unjudgedRate: name ndcg or judged"
		badIDField    = "spec.search.idField must be the name of one field, without spaces, wildcards or commas"
	)
	keyRef := object{"name": "golden", "key": "golden.json"}
	return []refusal{
		{"a name that leaves no room for the report's", named(strings.Repeat("g", 201)), "<nil>",
			"the name of a gate must be at most 200 characters long"},

		{"no engine", set("engine", object{}), "spec.engine", oneEngine},
		{"an ECK resource", set("engine", object{"elasticsearchRef": object{"name": "shop"}}), "spec.engine",
			"spec.engine.elasticsearchRef is not supported yet"},
		{"an address without a scheme", set("engine.url", "search.shop.svc:9200"), "spec.engine.url", notURL},
		{"an address of another protocol", set("engine.url", "ftp://search.shop.svc"), "spec.engine.url", notURL},
		{"an address without a host", set("engine.url", "https://:9200"), "spec.engine.url", notURL},
		{"a path rather than an address", set("engine.url", "/search"), "spec.engine.url", notURL},
		{"an address with a space", set("engine.url", "https://search shop"), "spec.engine.url", notURL},
		{"an address with a user and a password", set("engine.url", "https://elastic:secret@search.shop.svc:9200"), "spec.engine.url", credentials},
		{"an address with a user", set("engine.url", "http://elastic@search.shop.svc:9200/es"), "spec.engine.url", credentials},
		{"an address with a token in its query", set("engine.url", "https://search.shop.svc:9200?token=x"), "spec.engine.url", queryInURL},
		{"an address with a fragment", set("engine.url", "https://search.shop.svc:9200/#x"), "spec.engine.url", queryInURL},

		{"an alias in upper case", set("alias", "Products"), "spec.alias", "spec.alias must be lower case"},
		{"an alias in upper case of another alphabet", set("alias", "Ürün"), "spec.alias", "spec.alias must be lower case"},
		{"two aliases", set("alias", "products,shops"), "spec.alias", notOneAlias},
		{"an alias with a wildcard", set("alias", "products*"), "spec.alias", notOneAlias},
		{"an alias with a space", set("alias", "our products"), "spec.alias", notOneAlias},
		{"an alias with a line break", set("alias", "products\n"), "spec.alias", notOneAlias},
		{"an alias with a control character", set("alias", "products\u0001"), "spec.alias", notOneAlias},
		{"an alias with a slash", set("alias", "products/_search"), "spec.alias", notOneAlias},
		{"an alias with a backslash", set("alias", `products\x`), "spec.alias", notOneAlias},
		{"an alias with a question mark", set("alias", "products?x"), "spec.alias", notOneAlias},
		{"an alias with a double quote", set("alias", `products"`), "spec.alias", notOneAlias},
		{"an alias with date arithmetic", set("alias", "<products-{now}>"), "spec.alias", notOneAlias},
		{"an alias with a bar", set("alias", "products|x"), "spec.alias", notOneAlias},
		{"an alias with a hash", set("alias", "products#x"), "spec.alias", notOneAlias},
		{"an alias of another cluster", set("alias", "other:products"), "spec.alias", notOneAlias},
		{"an alias that begins with a hyphen, which excludes", set("alias", "-products"), "spec.alias", badAlias},
		{"an alias that begins with an underscore, like _all", set("alias", "_all"), "spec.alias", badAlias},
		{"an alias that begins with a plus", set("alias", "+products"), "spec.alias", badAlias},
		{"a dot as alias", set("alias", "."), "spec.alias", badAlias},
		{"two dots as alias", set("alias", ".."), "spec.alias", badAlias},
		{"an alias of more bytes than an engine takes", set("alias", strings.Repeat("ü", 128)), "spec.alias", "spec.alias must be at most 255 bytes long"},

		{"no candidate", set("candidate", object{}), "spec.candidate", oneIndex},
		{"a pattern of one index", set("candidate", object{"pattern": "products-v2"}), "spec.candidate.pattern",
			"spec.candidate.pattern must contain a *: name a single index in spec.candidate.index"},
		{"a pattern in upper case", set("candidate", object{"pattern": "Products-*"}), "spec.candidate.pattern", "spec.candidate.pattern must be lower case"},
		{"two patterns", set("candidate", object{"pattern": "products-*,shops-*"}), "spec.candidate.pattern", notOnePattern},
		{"a pattern with a question mark", set("candidate", object{"pattern": "products-?*"}), "spec.candidate.pattern", notOnePattern},
		{"a pattern of another cluster", set("candidate", object{"pattern": "other:products-*"}), "spec.candidate.pattern", notOnePattern},
		{"a pattern with a backslash", set("candidate", object{"pattern": `products\*`}), "spec.candidate.pattern", notOnePattern},
		{"a pattern with a space", set("candidate", object{"pattern": "products *"}), "spec.candidate.pattern", notOnePattern},
		{"a pattern that excludes", set("candidate", object{"pattern": "-products*"}), "spec.candidate.pattern", "spec.candidate.pattern must not begin with - _ or +"},
		{"the alias as candidate", set("candidate.index", "products"), "spec", "spec.candidate.index must be an index, not the alias of the gate"},
		{"a candidate in upper case", set("candidate.index", "Products-v2"), "spec.candidate.index", "spec.candidate.index must be lower case"},
		{"two candidates", set("candidate.index", "products-v2,products-v3"), "spec.candidate.index", notOneIndex},
		{"a candidate with a wildcard", set("candidate.index", "products-*"), "spec.candidate.index", notOneIndex},
		{"a candidate with a slash", set("candidate.index", "products-v2/_doc"), "spec.candidate.index", notOneIndex},
		{"a candidate with a backslash", set("candidate.index", `products\v2`), "spec.candidate.index", notOneIndex},
		{"a candidate that begins with an underscore", set("candidate.index", "_all"), "spec.candidate.index", badIndex},
		{"two dots as candidate", set("candidate.index", ".."), "spec.candidate.index", badIndex},
		{"a candidate of more bytes than an engine takes", set("candidate.index", strings.Repeat("ü", 128)), "spec.candidate.index", "spec.candidate.index must be at most 255 bytes long"},
		{"no sign of readiness", set("candidate.readyWhen", object{}), "spec.candidate.readyWhen", oneSign},
		{"two signs of readiness", set("candidate.readyWhen", object{"minDocs": int64(1), "meta": object{"key": "built", "value": "true"}}), "spec.candidate.readyWhen", oneSign},
		{"a lock from the start without a sign of readiness", set("promotion.lock", "UntilPassed"), "spec",
			"spec.promotion.lock UntilPassed needs spec.candidate.readyWhen: an index that is still being filled must not be locked"},

		{"no golden set", set("goldenSet", object{}), "spec.goldenSet", oneSet},
		{"two golden sets", set("goldenSet.configMapSelector", object{"matchLabels": object{"golden": "es"}}), "spec.goldenSet", oneSet},
		{"a golden set by no label", set("goldenSet", object{"configMapSelector": object{}}), "spec.goldenSet", noLabel},
		{"a golden set by empty lists of labels", set("goldenSet", object{"configMapSelector": object{"matchLabels": object{}, "matchExpressions": list{}}}), "spec.goldenSet", noLabel},

		{"no way to search", set("search", object{}), "spec.search", oneBody},
		{"a body in a ConfigMap", set("search", object{"bodyConfigMapRef": keyRef}), "spec.search", "spec.search.bodyConfigMapRef is not supported yet"},
		{"a stored template", set("search", object{"storedTemplate": object{"id": "product-search"}}), "spec.search", "spec.search.storedTemplate is not supported yet"},
		{"all fields as id", set("search.idField", "*"), "spec.search.idField", badIDField},
		{"two fields as id", set("search.idField", "sku,ean"), "spec.search.idField", badIDField},

		{"a metric that is not a word", metric(object{"name": "@10"}), "spec.metrics[0].name", badMetric},
		{"a metric with a cut that is not a number", metric(object{"name": "ndcg@ten"}), "spec.metrics[0].name", badMetric},
		{"a metric with a space", metric(object{"name": "ndcg @10"}), "spec.metrics[0].name", badMetric},
		{"a limit on dcg", metric(object{"name": "dcg@10"}), "spec.metrics[0]", unlimited},
		{"a drop of the unjudged rate", set("metrics", list{object{"name": "unjudgedRate@10", "maxDrop": "0.1"}}), "spec.metrics[0]", unlimited},
		{"regressions by dcg", with(
			set("metrics", list{object{"name": "ndcg@10", "min": "0.8"}, object{"name": "dcg@10"}}),
			set("regressions", object{"metric": "dcg@10", "drop": "0.05"})), "spec.regressions.metric", badLoss},
		{"less confidence than a coin gives", metric(object{"confidence": "0.499999"}), "spec.metrics[0].confidence", unsure},
		{"more confidence than the draws tell", metric(object{"confidence": "0.999001"}), "spec.metrics[0].confidence", unsure},
		{"no doubt at all", metric(object{"confidence": "1"}), "spec.metrics[0].confidence", unsure},
		{"no limit", set("metrics", list{object{"name": "ndcg@10"}}), "spec", noLimit},
		{"regressions that are reported only, and no limit", with(
			set("metrics", list{object{"name": "ndcg@10"}}),
			set("regressions", object{"metric": "ndcg@10", "drop": "0.05"})), "spec", noLimit},
		{"regressions of a metric that is not measured", set("regressions", object{"metric": "recall@50", "drop": "0.05"}), "spec",
			"spec.regressions.metric must be the name of one of spec.metrics"},
		{"err without a scale", metric(object{"name": "err@10"}), "spec", noScale},
		{"err without a cut or a scale", metric(object{"name": "err"}), "spec", noScale},
		{"relevant from a grade beyond the scale", with(set("goldenSet.maxGrade", int64(3)), metric(object{"relevantFrom": int64(4)})), "spec",
			"relevantFrom in spec.metrics must not be above spec.goldenSet.maxGrade"},
		{"a segment by dcg", with(
			set("metrics", list{object{"name": "ndcg@10", "min": "0.8"}, object{"name": "dcg@10"}}),
			set("segments", object{"limits": list{segment("head", "dcg@10")}})), "spec.segments.limits[0].metric",
			"a segment can have no limit on dcg or unjudgedRate: name ndcg or judged"},
		{"a segment of a metric that is not measured", set("segments", object{"limits": list{segment("head", "ndcg@10"), segment("head", "recall@50")}}), "spec", badSegment},

		{"a tolerance for changed content", set("promotion.maxContentDrift", "0"), "spec.promotion", "spec.promotion.maxContentDrift is not supported yet"},
		{"claims of devices", set("evaluation.resources", object{"claims": list{object{"name": "gpu"}}}), "spec.evaluation", "spec.evaluation.resources.claims is not supported yet"},
	}
}

// schemaRefusals break one rule of the schema each.
func schemaRefusals() []refusal {
	const notFraction = ` in body should match '^(0(\.[0-9]{1,6})?|1(\.0{1,6})?)$'`
	below := func(field string, bound int64) string {
		return fmt.Sprintf("%s in body should be greater than or equal to %d", field, bound)
	}
	above := func(field string, bound int64) string {
		return fmt.Sprintf("%s in body should be less than or equal to %d", field, bound)
	}
	many := make(list, 0, 21)
	for _, letter := range "abcdefghijklmnopqrstu" {
		many = append(many, object{"name": string(letter), "min": "0.5"})
	}
	manySegments := make(list, 0, 11)
	for _, letter := range "abcdefghijk" {
		manySegments = append(manySegments, segment(string(letter), "ndcg@10"))
	}
	rows := []refusal{
		{"no engine at all", drop("engine"), "spec.engine", "Required value"},
		{"no alias", drop("alias"), "spec.alias", "Required value"},
		{"no candidate at all", drop("candidate"), "spec.candidate", "Required value"},
		{"no golden set at all", drop("goldenSet"), "spec.goldenSet", "Required value"},
		{"no search", drop("search"), "spec.search", "Required value"},
		{"no metrics", drop("metrics"), "spec.metrics", "Required value"},
		{"more metrics than are reported", set("metrics", many), "spec.metrics", "Too many: 21: must have at most 20 items"},
		{"one metric twice", set("metrics", list{object{"name": "ndcg@10", "min": "0.8"}, object{"name": "ndcg@10"}}), "spec.metrics[1]", `Duplicate value: {"name":"ndcg@10"}`},
		{"an empty alias", set("alias", ""), "spec.alias", "spec.alias in body should be at least 1 chars long"},
		{"an alias that is too long", set("alias", strings.Repeat("a", 256)), "spec.alias", "Too long: may not be more than 255 bytes"},
		{"credentials without a name", set("engine.credentialsSecretRef", object{}), "spec.engine.credentialsSecretRef.name", "Required value"},
		{"a certificate authority without a key", set("engine.caSecretRef", object{"name": "ca"}), "spec.engine.caSecretRef.key", "Required value"},
		{"a Secret's name that cannot be one", set("engine.credentialsSecretRef", object{"name": "../other"}), "spec.engine.credentialsSecretRef.name",
			"spec.engine.credentialsSecretRef.name in body should match '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$'"},
		{"a key that cannot be one", set("goldenSet.configMapRef", object{"name": "golden", "key": "a/b"}), "spec.goldenSet.configMapRef.key",
			`spec.goldenSet.configMapRef.key in body should match '^[-._a-zA-Z0-9]+$'`},
		{"an engine of another kind", set("engine.distribution", "Solr"), "spec.engine.distribution", `Unsupported value: "Solr": supported values: "Elasticsearch", "OpenSearch"`},
		{"a digest that is none", set("goldenSet.digest", "sha256:abc"), "spec.goldenSet.digest", "spec.goldenSet.digest in body should match '^sha256:[0-9a-f]{64}$'"},
		{"an unknown format", set("goldenSet.format", "XML"), "spec.goldenSet.format",
			`Unsupported value: "XML": supported values: "Auto", "Gate", "Article", "Short", "Quepid", "TREC", "RankEval", "RRE", "CSV", "JSONL"`},
		{"a body that is text", set("search.body", "{}"), "spec.search.body", `spec.search.body in body must be of type object: "string"`},
		{"a live search without a body", set("search.live", object{}), "spec.search.live.body", "Required value"},
		{"an unknown gain", metric(object{"gain": "Squared"}), "spec.metrics[0].gain", `Unsupported value: "Squared": supported values: "Exponential", "Linear"`},
		{"a limit that is not quoted", metric(object{"min": 0.85}), "spec.metrics[0].min", `spec.metrics[0].min in body must be of type string: "number"`},
		{"segments without limits", set("segments", object{}), "spec.segments.limits", "Required value"},
		{"segments with no limit", set("segments", object{"limits": list{}}), "spec.segments.limits", "spec.segments.limits in body should have at least 1 items"},
		{"a segment's limit twice", set("segments", object{"limits": list{segment("head", "ndcg@10"), segment("head", "ndcg@10")}}), "spec.segments.limits[1]",
			`Duplicate value: {"metric":"ndcg@10","segment":"head"}`},
		{"a segment's limit without a min", set("segments", object{"limits": list{object{"segment": "head", "metric": "ndcg@10"}}}), "spec.segments.limits[0].min", "Required value"},
		{"a segment without a name", set("segments", object{"limits": list{segment("", "ndcg@10")}}), "spec.segments.limits[0].segment",
			"spec.segments.limits[0].segment in body should be at least 1 chars long"},
		{"more segments than are reported", set("segments", object{"limits": manySegments}), "spec.segments.limits", "Too many: 11: must have at most 10 items"},
		{"no query in a segment", set("segments", object{"minQueries": int64(0), "limits": list{segment("head", "ndcg@10")}}), "spec.segments.minQueries",
			below("spec.segments.minQueries", 1)},
		{"more queries in a segment than there are", set("segments", object{"minQueries": int64(1_000_001), "limits": list{segment("head", "ndcg@10")}}), "spec.segments.minQueries",
			above("spec.segments.minQueries", 1_000_000)},
		{"an unknown policy", set("promotion.policy", "Auto"), "spec.promotion.policy", `Unsupported value: "Auto": supported values: "Automatic", "Manual", "Off"`},
		{"an unknown lock", set("promotion.lock", "Always"), "spec.promotion.lock", `Unsupported value: "Always": supported values: "UntilPassed", "DuringSwap", "None"`},
		{"an unknown health", set("promotion.minHealth", "Red"), "spec.promotion.minHealth", `Unsupported value: "Red": supported values: "Yellow", "Green"`},
		{"an unknown answer to drift", set("promotion.onDrift", "Ignore"), "spec.promotion.onDrift", `Unsupported value: "Ignore": supported values: "Report", "Revert"`},
		{"a pull secret twice", set("evaluation.imagePullSecrets", list{object{"name": "a"}, object{"name": "a"}}), "spec.evaluation.imagePullSecrets[1]", `Duplicate value: {"name":"a"}`},
	}
	for _, value := range []string{"", "85%", "-0.1", "1.01", "2", "0.1234567", ".5", "1e-1", "0.", " 0.5"} {
		message := "spec.metrics[0].min" + notFraction
		switch {
		case value == "":
			message = "spec.metrics[0].min in body should be at least 1 chars long"
		case len(value) > 8:
			message = "Too long: may not be more than 8 bytes"
		}
		rows = append(rows, refusal{"the fraction '" + value + "'", metric(object{"min": value}), "spec.metrics[0].min", message})
	}
	for _, field := range []string{"judgments.minJudged", "promotion.minDocsRatio"} {
		rows = append(rows, refusal{field + " above 1", set(field, "1.5"), "spec." + field, "spec." + field + notFraction})
	}
	rows = append(rows,
		refusal{"maxDrop above 1", metric(object{"maxDrop": "1.5"}), "spec.metrics[0].maxDrop", "spec.metrics[0].maxDrop" + notFraction},
		refusal{"regressions.drop above 1", set("regressions", object{"metric": "ndcg@10", "drop": "1.5"}), "spec.regressions.drop", "spec.regressions.drop" + notFraction},
		refusal{"relevantFrom below 1", metric(object{"relevantFrom": int64(0)}), "spec.metrics[0].relevantFrom", below("spec.metrics[0].relevantFrom", 1)},
		refusal{"relevantFrom above 30", metric(object{"relevantFrom": int64(31)}), "spec.metrics[0].relevantFrom", above("spec.metrics[0].relevantFrom", 30)},
	)
	for _, bound := range []struct {
		field     string
		low, high int64
	}{
		{"candidate.readyWhen.minDocs", 1, 1_000_000_000_000},
		{"goldenSet.maxGrade", 1, 30},
		{"judgments.at", 1, 1000},
		{"promotion.approvalSeconds", 1, 31536000},
		{"evaluation.repeats", 1, 10},
		{"evaluation.maxErrors", 0, 1_000_000},
		{"evaluation.settleSeconds", 0, 86400},
		{"evaluation.pollSeconds", 5, 86400},
		{"evaluation.timeoutSeconds", 1, 86400},
		{"evaluation.retries", 0, 10},
		{"evaluation.maxConcurrentSearches", 1, 256},
	} {
		field := "spec." + bound.field
		if bound.field != "goldenSet.maxGrade" { // Its low end breaks a second rule too, see below.
			rows = append(rows, refusal{bound.field + " too small", set(bound.field, bound.low-1), field, below(field, bound.low)})
		}
		rows = append(rows, refusal{bound.field + " too large", set(bound.field, bound.high+1), field, above(field, bound.high)})
	}
	return rows
}

func TestARuleBrokenIsRefusedWithItsMessageAlone(t *testing.T) {
	c := newClient(t)
	for _, row := range ruleRefusals() {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(causes(t, c.Create(t.Context(), makeGate(row.edit), client.DryRunAll))).
				To(Equal([]string{row.field + ": " + row.message}))
		})
	}
}

func TestABrokenSchemaIsRefused(t *testing.T) {
	c := newClient(t)
	for _, row := range schemaRefusals() {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(causes(t, c.Create(t.Context(), makeGate(row.edit), client.DryRunAll))).
				To(Equal([]string{row.field + ": " + row.message}))
		})
	}
}

// Some faults of the schema cannot be had without breaking a rule as well.
func TestABrokenSchemaIsRefusedBesideARule(t *testing.T) {
	c := newClient(t)
	for _, row := range []refusal{
		{"no metric", set("metrics", list{}), "spec.metrics", "spec.metrics in body should have at least 1 items"},
		{"maxGrade too small", set("goldenSet.maxGrade", int64(0)), "spec.goldenSet.maxGrade",
			"spec.goldenSet.maxGrade in body should be greater than or equal to 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(causes(t, c.Create(t.Context(), makeGate(row.edit), client.DryRunAll))).
				To(ContainElement(row.field + ": " + row.message))
		})
	}
}

func TestTheAliasCannotBeChanged(t *testing.T) {
	c := newClient(t)
	g := NewWithT(t)
	gate := makeGate()
	gate.SetNamespace(makeNamespace(t, c))
	g.Expect(c.Create(t.Context(), gate)).To(Succeed())

	set("alias", "shops")(gate)
	g.Expect(causes(t, c.Update(t.Context(), gate))).
		To(Equal([]string{"spec.alias: " + immutableAlias}))

	set("alias", "products")(gate)
	set("candidate.index", "products-v3")(gate)
	g.Expect(c.Update(t.Context(), gate)).To(Succeed(), "everything else can be changed")
}

const immutableAlias = "spec.alias is immutable: create another gate for another alias"

func accepted() []struct {
	name string
	edit edit
} {
	return []struct {
		name string
		edit edit
	}{
		{"the smallest gate", with()},
		{"the longest name", named(strings.Repeat("g", 200))},
		{"a name with dots", named("products.es")},
		{"plain http, an address and a path", set("engine.url", "http://10.0.0.1:9200/search/es")},
		{"an IPv6 address", set("engine.url", "https://[fd00::1]:9200")},
		{"an at sign in a path", set("engine.url", "https://proxy.shop.svc/team@search")},
		{"a scheme in upper case", set("engine.url", "HTTPS://search.shop.svc:9200")},
		{"all of the engine", set("engine", object{
			"url": "https://search.shop.svc:9200", "credentialsSecretRef": object{"name": "search"},
			"caSecretRef": object{"name": "search.ca", "key": "ca.crt"}, "distribution": "OpenSearch"})},
		{"an alias with hyphens, dots and underscores", set("alias", "shop.products_es-search")},
		{"an alias of another alphabet", set("alias", "ürünler")},
		{"an alias of one letter", set("alias", "p")},
		{"a hidden alias", set("alias", ".products")},
		{"three dots, which no engine objects to", set("alias", "...")},
		{"the longest alias", set("alias", strings.Repeat("a", 255))},
		{"ready by a number of documents", set("candidate.readyWhen", object{"minDocs": int64(1)})},
		{"ready by an entry in _meta", set("candidate.readyWhen", object{"meta": object{"key": "built", "value": ""}})},
		{"a lock from the start with a sign of readiness", with(
			set("candidate.readyWhen", object{"minDocs": int64(1000)}), set("promotion.lock", "UntilPassed"))},
		{"the gate's own format", set("goldenSet.format", "Gate")},
		{"the form with externalId and relevance", set("goldenSet.format", "Article")},
		{"the form with q", set("goldenSet.format", "Short")},
		{"a line a query", set("goldenSet.format", "JSONL")},
		{"a golden set by a label", set("goldenSet", object{"configMapSelector": object{"matchLabels": object{"golden": "es"}}})},
		{"a golden set by an expression", set("goldenSet", object{"configMapSelector": object{"matchExpressions": list{object{"key": "golden", "operator": "Exists"}}}})},
		{"an export of Quepid", set("goldenSet.format", "Quepid")},
		{"topics and qrels", set("goldenSet.format", "TREC")},
		{"a _rank_eval request", set("goldenSet.format", "RankEval")},
		{"a table", set("goldenSet.format", "CSV")},
		{"ratings of RRE", set("goldenSet.format", "RRE")},
		{"a pinned golden set", set("goldenSet.digest", "sha256:"+strings.Repeat("0a", 32))},
		{"another search for the live index", set("search.live", object{"body": object{"query": object{"match_all": object{}}}})},
		{"an id in a field of an object", set("search.idField", "product.sku")},
		{"err with a scale", with(set("goldenSet.maxGrade", int64(3)), metric(object{"name": "err@10"}))},
		{"a metric whose name begins like err", metric(object{"name": "errors"})},
		{"relevant from the highest grade", with(set("goldenSet.maxGrade", int64(3)), metric(object{"relevantFrom": int64(3)}))},
		{"metrics that are reported only", set("metrics", list{
			object{"name": "dcg@10"}, object{"name": "unjudgedRate@10"}, object{"name": "judged@10", "min": "0.8"}})},
		{"metrics without a cut", set("metrics", list{
			object{"name": "map", "min": "0.3"}, object{"name": "r-precision"}, object{"name": "rbp.80"}, object{"name": "rbp.95@10"}})},
		{"names of trec_eval", set("metrics", list{
			object{"name": "ndcg_cut_10", "min": "0.3"}, object{"name": "Rprec"}, object{"name": "P_5"}, object{"name": "set_F"}})},
		{"a metric that nobody has heard of", metric(object{"name": "made-up_metric.v2@1000"})},
		{"only a drop as limit", set("metrics", list{object{"name": "ndcg@10", "maxDrop": "0"}})},
		{"one limit among several metrics", set("metrics", list{object{"name": "recall@50"}, object{"name": "ndcg@10", "min": "1"}})},
		{"only a number of regressions as limit", with(
			set("metrics", list{object{"name": "ndcg@10"}}),
			set("regressions", object{"metric": "ndcg@10", "drop": "0.05", "maxQueries": int64(0)}))},
		{"all of the regressions", set("regressions", object{"metric": "ndcg@10", "drop": "0.05", "maxQueries": int64(2), "protectWeightFrom": int64(100)})},
		{"the least confidence", metric(object{"confidence": "0.5"})},
		{"the most confidence", metric(object{"confidence": "0.9990"})},
		{"only segments as limit", with(set("metrics", list{object{"name": "ndcg@10"}}), set("segments", object{"limits": list{segment("head", "ndcg@10")}}))},
		{"two limits of one segment", with(set("metrics", list{object{"name": "ndcg@10", "confidence": "0.95"}, object{"name": "recall@50"}}),
			set("segments", object{"minQueries": int64(1), "limits": list{segment("head", "ndcg@10"), segment("head", "recall@50")}}))},
		{"all of the judgments", set("judgments", object{"minJudged": "0.60", "at": int64(1000), "requireWhy": true})},
		{"all of the promotion", set("promotion", object{
			"policy": "Automatic", "lock": "None", "createAlias": true, "minDocsRatio": "0", "minHealth": "Green",
			"onDrift": "Report", "approvalSeconds": int64(1)})},
		{"policy Off", set("promotion.policy", "Off")},
		{"the least of the evaluation", set("evaluation", object{
			"repeats": int64(1), "maxErrors": int64(0), "settleSeconds": int64(0), "pollSeconds": int64(5),
			"timeoutSeconds": int64(1), "retries": int64(0), "maxConcurrentSearches": int64(1)})},
		{"all of the pod", set("evaluation", object{
			"credentialsSecretRef": object{"name": "search-read"},
			"resources":            object{"requests": object{"cpu": "100m", "memory": "64Mi"}, "limits": object{"memory": "1Gi"}},
			"serviceAccountName":   "evaluator",
			"nodeSelector":         object{"kubernetes.io/os": "linux"},
			"tolerations":          list{object{"key": "batch", "operator": "Exists", "effect": "NoSchedule"}},
			"podMetadata":          object{"labels": object{"team": "search"}, "annotations": object{"sidecar.istio.io/inject": "false"}},
			"imagePullSecrets":     list{object{"name": "registry"}, object{"name": "mirror"}}})},
		{"suspended", set("suspend", true)},
		{"fractions of every shape", set("metrics", list{
			object{"name": "a", "min": "0"}, object{"name": "b", "min": "1"}, object{"name": "c", "min": "0.000001"},
			object{"name": "d", "min": "1.000000"}, object{"name": "e", "min": "0.0"}})},
	}
}

func TestAValidGateIsAccepted(t *testing.T) {
	c := newClient(t)
	for _, row := range accepted() {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			strict := client.WithFieldValidation(c, metav1.FieldValidationStrict)
			g.Expect(strict.Create(t.Context(), makeGate(row.edit), client.DryRunAll)).To(Succeed())
		})
	}
}

// The Go rules must say what the API server says, for gates that never met one.
func TestValidateSaysWhatTheAPIServerSays(t *testing.T) {
	for _, row := range ruleRefusals() {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(typed(t, makeGate(row.edit)).Validate()).To(Equal([]string{row.message}))
		})
	}
	for _, row := range accepted() {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(typed(t, makeGate(row.edit)).Validate()).To(BeEmpty())
		})
	}
}

// typed returns the gate as the Go type, with its defaults.
func typed(t *testing.T, gate *unstructured.Unstructured) *v1alpha1.RelevanceGate {
	t.Helper()
	g := &v1alpha1.RelevanceGate{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(gate.Object, g, true); err != nil {
		t.Fatal(err)
	}
	g.SetDefaults()
	return g
}

func TestEveryRuleHasARow(t *testing.T) {
	g := NewWithT(t)
	tested := []string{immutableAlias}
	for _, row := range ruleRefusals() {
		tested = append(tested, row.message)
	}
	slices.Sort(tested)
	tested = slices.Compact(tested)

	var stated []string
	walk(readCRD(t).Spec.Versions[0].Schema.OpenAPIV3Schema, "", func(_ string, schema *apiextensionsv1.JSONSchemaProps) {
		for _, rule := range schema.XValidations {
			stated = append(stated, rule.Message)
		}
	})
	slices.Sort(stated)
	g.Expect(stated).To(Equal(tested))
}

var mapsOfKubernetes = regexp.MustCompile(`^spec\.(evaluation\.resources|goldenSet\.configMapSelector|evaluation\.tolerations)\b`)

// Without bounds the API server cannot estimate what a CEL rule costs, and one gate could fill etcd.
func TestEveryStringListAndMapIsBounded(t *testing.T) {
	walk(readCRD(t).Spec.Versions[0].Schema.OpenAPIV3Schema, "", func(path string, schema *apiextensionsv1.JSONSchemaProps) {
		// Types of Kubernetes bring their schema along.
		if !strings.Contains(path, ".") || mapsOfKubernetes.MatchString(path) && !strings.HasSuffix(path, "tolerations") {
			return
		}
		g := NewWithT(t)
		switch schema.Type {
		case "string":
			bounded := schema.MaxLength != nil || len(schema.Enum) > 0 || schema.Format == "date-time" ||
				strings.HasSuffix(path, "{}") // The value of a map.
			g.Expect(bounded).To(BeTrue(), "%s has no maxLength", path)
		case "array":
			g.Expect(schema.MaxItems).NotTo(BeNil(), "%s has no maxItems", path)
			g.Expect(schema.XListType).NotTo(BeNil(), "%s has no listType", path)
		case "integer":
			bounded := schema.Minimum != nil || strings.HasSuffix(strings.ToLower(path), "generation")
			g.Expect(bounded).To(BeTrue(), "%s has no minimum", path)
		case "number":
			t.Errorf("%s is a float", path)
		case "object":
			if schema.AdditionalProperties != nil {
				g.Expect(schema.MaxProperties).NotTo(BeNil(), "%s has no maxProperties", path)
			}
		}
		g.Expect(schema.Description != "" || strings.HasSuffix(path, "[]") || strings.HasSuffix(path, "{}")).
			To(BeTrue(), "%s has no description", path)
	})
}

// Helm and its like expand double braces in every file of a chart.
func TestTheCRDIsSafeToTemplate(t *testing.T) {
	g := NewWithT(t)
	content, err := os.ReadFile(crdFile)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(content)).NotTo(ContainSubstring("{{"))
}

func readCRD(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	content, err := os.ReadFile(crdFile)
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(content, crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

// walk visits a schema and all below it.
func walk(schema *apiextensionsv1.JSONSchemaProps, path string, visit func(path string, schema *apiextensionsv1.JSONSchemaProps)) {
	visit(path, schema)
	for name := range schema.Properties {
		property := schema.Properties[name]
		walk(&property, strings.TrimPrefix(path+"."+name, "."), visit)
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		walk(schema.Items.Schema, path+"[]", visit)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		walk(schema.AdditionalProperties.Schema, path+"{}", visit)
	}
}
