package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// RelevanceGate lets an alias move to a new index only if the index answers a golden set of judged queries well enough.
//
// The name is limited so that the names made from it, `<gate>-report` the longest, stay within 253 characters.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=relevancegates,singular=relevancegate,scope=Namespaced,shortName=rgate,categories={all,search}
// +kubebuilder:printcolumn:name="Alias",type=string,JSONPath=`.spec.alias`,description="The alias that the gate moves"
// +kubebuilder:printcolumn:name="Candidate",type=string,JSONPath=`.status.evaluation.candidate.index`,description="The index under test"
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.status.verdict`,description="Passed, Failed, Inconclusive or Pending"
// +kubebuilder:printcolumn:name="NDCG",type=string,JSONPath=`.status.ndcg`,description="The candidate's first ndcg score"
// +kubebuilder:printcolumn:name="Recall",type=string,JSONPath=`.status.recall`,description="The candidate's first recall score"
// +kubebuilder:printcolumn:name="Live",type=string,JSONPath=`.status.alias.index`,description="The index that the alias points at"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.message`,description="Why the verdict is what it is"
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 200",message="the name of a gate must be at most 200 characters long"
type RelevanceGate struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what is measured, against which limits, and what happens to the alias.
	// +required
	Spec RelevanceGateSpec `json:"spec"`

	// status is what was measured and what became of it. The default makes kstatus report a gate that no controller has
	// seen as in progress rather than as current.
	// +optional
	// +kubebuilder:default={observedGeneration:-1}
	Status RelevanceGateStatus `json:"status,omitzero"`
}

// RelevanceGateList is a list of gates.
//
// +kubebuilder:object:root=true
type RelevanceGateList struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard list metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the gates.
	Items []RelevanceGate `json:"items"`
}

// Fraction is a number from 0 to 1 with at most 6 decimals, written as a quoted string: "0.85". It is a string because
// a float in a spec changes on its way through clients; see Millionths for comparing.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=8
// +kubebuilder:validation:Pattern=`^(0(\.[0-9]{1,6})?|1(\.0{1,6})?)$`
type Fraction string

// RelevanceGateSpec is what is measured, against which limits, and what happens to the alias.
//
// +kubebuilder:validation:XValidation:rule="self.metrics.exists(m, has(m.min) || has(m.maxDrop)) || (has(self.regressions) && has(self.regressions.maxQueries)) || has(self.segments)",message="a gate needs a limit: set min or maxDrop on at least one of spec.metrics, or spec.regressions.maxQueries, or spec.segments"
// +kubebuilder:validation:XValidation:rule="!has(self.regressions) || self.metrics.exists(m, m.name == self.regressions.metric)",message="spec.regressions.metric must be the name of one of spec.metrics"
// +kubebuilder:validation:XValidation:rule="has(self.goldenSet.maxGrade) || !self.metrics.exists(m, m.name == 'err' || m.name.startsWith('err@'))",message="the metric err needs spec.goldenSet.maxGrade: its value depends on the highest grade of the scale"
// +kubebuilder:validation:XValidation:rule="!has(self.goldenSet.maxGrade) || self.metrics.all(m, !has(m.relevantFrom) || m.relevantFrom <= self.goldenSet.maxGrade)",message="relevantFrom in spec.metrics must not be above spec.goldenSet.maxGrade"
// +kubebuilder:validation:XValidation:rule="!has(self.promotion) || !has(self.promotion.lock) || self.promotion.lock != 'UntilPassed' || has(self.candidate.readyWhen)",message="spec.promotion.lock UntilPassed needs spec.candidate.readyWhen: an index that is still being filled must not be locked"
// +kubebuilder:validation:XValidation:rule="!has(self.candidate.index) || self.candidate.index != self.alias",message="spec.candidate.index must be an index, not the alias of the gate"
// +kubebuilder:validation:XValidation:rule="!has(self.segments) || self.segments.limits.all(l, self.metrics.exists(m, m.name == l.metric))",message="the metric of each of spec.segments.limits must be the name of one of spec.metrics"
type RelevanceGateSpec struct {
	// engine is the search engine that holds the alias and the indices.
	// +required
	Engine Engine `json:"engine"`

	// alias is the alias that the gate guards and moves. It cannot be changed: a gate's history, lock and approvals
	// belong to one alias.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="spec.alias is immutable: create another gate for another alias"
	// +kubebuilder:validation:XValidation:rule="!self.matches('\\\\p{Lu}')",message="spec.alias must be lower case"
	// +kubebuilder:validation:XValidation:rule="!self.matches('[\\\\s[:cntrl:]\\\\\\\\/*?\"<>|,#:]')",message="spec.alias must be one name, without spaces, wildcards or any of \\ / \" < > | , # :"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^([-_+]|[.]{1,2}$)')",message="spec.alias must not begin with - _ or +, and must not be . or .."
	// +kubebuilder:validation:XValidation:rule="size(bytes(self)) <= 255",message="spec.alias must be at most 255 bytes long"
	Alias string `json:"alias"`

	// candidate is the index under test.
	// +required
	Candidate Candidate `json:"candidate"`

	// goldenSet is the set of judged queries that the candidate and the live index are measured with.
	// +required
	GoldenSet GoldenSet `json:"goldenSet"`

	// search is how a query of the golden set is asked.
	// +required
	Search Search `json:"search"`

	// metrics are the measures and their limits, in the order in which they are reported. All of them are measured from
	// one ranking per query. A metric without a limit is reported only.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	Metrics []Metric `json:"metrics"`

	// regressions limits how many single queries may get worse, which a mean over all of them hides.
	// +optional
	Regressions *Regressions `json:"regressions,omitempty"`

	// judgments says how much of what is found must have been judged.
	// +optional
	// +kubebuilder:default={}
	Judgments Judgments `json:"judgments,omitzero"`

	// segments puts limits on parts of the golden set, which a mean over all of it hides.
	// +optional
	Segments *Segments `json:"segments,omitempty"`

	// promotion is when and how the alias moves.
	// +optional
	// +kubebuilder:default={}
	Promotion Promotion `json:"promotion,omitzero"`

	// evaluation is how the measuring is done, and by what kind of pod.
	// +optional
	// +kubebuilder:default={}
	Evaluation Evaluation `json:"evaluation,omitzero"`

	// schedule measures the live index again at set times, and as soon as the engine's version has changed, while the gate
	// rests on what it promoted. The alias stays where it is whatever comes out.
	// +optional
	Schedule *Schedule `json:"schedule,omitempty"`

	// suspend stops the gate: no evaluation is started, the alias is not moved, and a lock is given back. The last
	// verdict stays in the status.
	// +optional
	// +kubebuilder:default=false
	Suspend bool `json:"suspend,omitempty"`
}

// Distribution is the kind of search engine.
//
// +kubebuilder:validation:Enum=Elasticsearch;OpenSearch
type Distribution string

// The search engines that a gate speaks to.
const (
	DistributionElasticsearch Distribution = "Elasticsearch"
	DistributionOpenSearch    Distribution = "OpenSearch"
)

// Engine is the search engine and how to reach it.
//
// +kubebuilder:validation:XValidation:rule="has(self.url) != has(self.elasticsearchRef)",message="exactly one of spec.engine.url and spec.engine.elasticsearchRef must be set"
// +kubebuilder:validation:XValidation:rule="!has(self.elasticsearchRef)",message="spec.engine.elasticsearchRef is not supported yet"
type Engine struct {
	// elasticsearchRef names an Elasticsearch resource of ECK. It is not supported yet.
	// +optional
	ElasticsearchRef *ElasticsearchRef `json:"elasticsearchRef,omitempty"`

	// url is the address of the engine, such as https://search.shop.svc:9200, with a path if a proxy needs one.
	// Credentials go into a Secret, never into the address.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="isURL(self) && url(self).getScheme() in ['http', 'https'] && url(self).getHostname() != ''",message="spec.engine.url must be an http or https address, such as https://search.shop.svc:9200"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^[^/?#]*//[^/?#]*@')",message="spec.engine.url must not contain credentials: name a Secret in spec.engine.credentialsSecretRef"
	// +kubebuilder:validation:XValidation:rule="!self.matches('[?#]')",message="spec.engine.url must not have a query or a fragment"
	URL string `json:"url,omitempty"`

	// credentialsSecretRef names the Secret with the credentials for the engine: the keys username and password, or
	// api-key, or token. Without it the engine is called without credentials.
	// +optional
	CredentialsSecretRef *SecretRef `json:"credentialsSecretRef,omitempty"`

	// caSecretRef names the key of a Secret that holds the certificate authorities, in PEM form, that the engine's
	// certificate must come from. Without it those of the system count.
	// +optional
	CASecretRef *SecretKeyRef `json:"caSecretRef,omitempty"`

	// distribution is the kind of engine. Without it the engine is asked.
	// +optional
	Distribution Distribution `json:"distribution,omitempty"`
}

// ElasticsearchRef names an Elasticsearch resource of ECK, or a Secret in ECK's form for one that ECK does not manage.
type ElasticsearchRef struct {
	// name is the name of the Elasticsearch resource.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// secretName is the name of a Secret that describes an engine which ECK does not manage.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	SecretName string `json:"secretName,omitempty"`

	// serviceName is the name of the Service to use rather than the one that ECK makes.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ServiceName string `json:"serviceName,omitempty"`
}

// SecretRef names a Secret in the gate's namespace.
type SecretRef struct {
	// name is the name of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	Name string `json:"name"`
}

// SecretKeyRef names one key of a Secret in the gate's namespace.
type SecretKeyRef struct {
	// name is the name of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	Name string `json:"name"`

	// key is the key in the Secret's data.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
	Key string `json:"key"`
}

// ConfigMapKeyRef names one key of a ConfigMap in the gate's namespace.
type ConfigMapKeyRef struct {
	// name is the name of the ConfigMap.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	Name string `json:"name"`

	// key is the key in the ConfigMap's data or binaryData.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
	Key string `json:"key"`
}

// Candidate names the index under test.
//
// +kubebuilder:validation:XValidation:rule="has(self.index) != has(self.pattern)",message="exactly one of spec.candidate.index and spec.candidate.pattern must be set"
type Candidate struct {
	// index is the name of one index. It need not exist yet: the gate waits for it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule="!self.matches('\\\\p{Lu}')",message="spec.candidate.index must be lower case"
	// +kubebuilder:validation:XValidation:rule="!self.matches('[\\\\s[:cntrl:]\\\\\\\\/*?\"<>|,#:]')",message="spec.candidate.index must be the name of one index, without spaces, wildcards or any of \\ / \" < > | , # :"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^([-_+]|[.]{1,2}$)')",message="spec.candidate.index must not begin with - _ or +, and must not be . or .."
	// +kubebuilder:validation:XValidation:rule="size(bytes(self)) <= 255",message="spec.candidate.index must be at most 255 bytes long"
	Index string `json:"index,omitempty"`

	// pattern takes the newest open index whose name it matches, * standing for any text, that was created after the live
	// index and was never live under this gate. Of several that were created in the same millisecond it takes the one
	// whose name comes last. A newer index takes the place of one that is being measured.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule="self.contains('*')",message="spec.candidate.pattern must contain a *: name a single index in spec.candidate.index"
	// +kubebuilder:validation:XValidation:rule="!self.matches('\\\\p{Lu}')",message="spec.candidate.pattern must be lower case"
	// +kubebuilder:validation:XValidation:rule="!self.matches('[\\\\s[:cntrl:]\\\\\\\\/?\"<>|,#:]')",message="spec.candidate.pattern must be one pattern, without spaces or any of \\ / ? \" < > | , # :"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^[-_+]')",message="spec.candidate.pattern must not begin with - _ or +"
	Pattern string `json:"pattern,omitempty"`

	// readyWhen is how the gate knows that the index has been filled. Without it the gate waits until the index has held
	// still for spec.evaluation.settleSeconds. It is required with spec.promotion.lock UntilPassed.
	// +optional
	ReadyWhen *ReadyWhen `json:"readyWhen,omitempty"`
}

// ReadyWhen is the sign by which an index counts as filled.
//
// +kubebuilder:validation:XValidation:rule="has(self.minDocs) != has(self.meta)",message="exactly one of spec.candidate.readyWhen.minDocs and spec.candidate.readyWhen.meta must be set"
type ReadyWhen struct {
	// minDocs is the number of documents from which on the index counts as filled.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000000
	MinDocs *int64 `json:"minDocs,omitempty"`

	// meta is an entry of the mapping's _meta that whoever fills the index writes at the end.
	// +optional
	Meta *MetaField `json:"meta,omitempty"`
}

// MetaField is one entry of a mapping's _meta.
type MetaField struct {
	// key is the name of the entry.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Key string `json:"key"`

	// value is what the entry must hold. A number or a boolean in _meta is compared as it is written in JSON.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Value string `json:"value"`
}

// GoldenSetFormat is the file format of a golden set.
//
// +kubebuilder:validation:Enum=Auto;Gate;Article;Short;Quepid;TREC;RankEval;RRE;CSV;JSONL
type GoldenSetFormat string

// The formats of golden sets.
const (
	// FormatAuto recognises the format by the content.
	FormatAuto GoldenSetFormat = "Auto"
	// FormatGate is the gate's own JSON form.
	FormatGate GoldenSetFormat = "Gate"
	// FormatArticle is JSON with externalId and relevance.
	FormatArticle GoldenSetFormat = "Article"
	// FormatShort is JSON with q and judgments by document id.
	FormatShort GoldenSetFormat = "Short"
	// FormatQuepid is an export of Quepid: a case, a snapshot or ratings.
	FormatQuepid GoldenSetFormat = "Quepid"
	// FormatTREC is TREC's topics and, behind them in the same file, qrels.
	FormatTREC GoldenSetFormat = "TREC"
	// FormatRankEval is a request body of Elasticsearch's _rank_eval.
	FormatRankEval GoldenSetFormat = "RankEval"
	// FormatRRE is the ratings file of the Rated Ranking Evaluator.
	FormatRRE GoldenSetFormat = "RRE"
	// FormatCSV is a table with a row a judgment.
	FormatCSV GoldenSetFormat = "CSV"
	// FormatJSONL is a line of JSON a query, or a judgment.
	FormatJSONL GoldenSetFormat = "JSONL"
)

// GoldenSet names the judged queries.
//
// +kubebuilder:validation:XValidation:rule="has(self.configMapRef) != has(self.configMapSelector)",message="exactly one of spec.goldenSet.configMapRef and spec.goldenSet.configMapSelector must be set"
// +kubebuilder:validation:XValidation:rule="!has(self.configMapSelector) || (has(self.configMapSelector.matchLabels) && size(self.configMapSelector.matchLabels) > 0) || (has(self.configMapSelector.matchExpressions) && size(self.configMapSelector.matchExpressions) > 0)",message="spec.goldenSet.configMapSelector must name a label: an empty one would select every ConfigMap of the namespace"
type GoldenSet struct {
	// configMapRef names the key of a ConfigMap that holds the golden set, under data or binaryData, gzipped if it is
	// large.
	// +optional
	ConfigMapRef *ConfigMapKeyRef `json:"configMapRef,omitempty"`

	// configMapSelector takes the golden set from all ConfigMaps with these labels: from each of their keys, in the order
	// of the names and then of the keys. At most 100 keys are read, and 16 MiB.
	// +optional
	ConfigMapSelector *metav1.LabelSelector `json:"configMapSelector,omitempty"`

	// format is the file format. Auto recognises it by the content.
	// +optional
	// +kubebuilder:default=Auto
	Format GoldenSetFormat `json:"format,omitempty"`

	// maxGrade is the highest grade of the scale that the judges used. Without it grades may be from 0 to 30.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=30
	MaxGrade *int32 `json:"maxGrade,omitempty"`

	// digest pins the golden set: with another content the gate stays Pending.
	// +optional
	// +kubebuilder:validation:MaxLength=71
	// +kubebuilder:validation:Pattern=`^sha256:[0-9a-f]{64}$`
	Digest string `json:"digest,omitempty"`
}

// Search is how a query of the golden set is asked.
//
// +kubebuilder:validation:XValidation:rule="[has(self.body), has(self.bodyConfigMapRef), has(self.storedTemplate)].exists_one(x, x)",message="exactly one of spec.search.body, spec.search.bodyConfigMapRef and spec.search.storedTemplate must be set"
// +kubebuilder:validation:XValidation:rule="!has(self.bodyConfigMapRef)",message="spec.search.bodyConfigMapRef is not supported yet"
// +kubebuilder:validation:XValidation:rule="!has(self.storedTemplate)",message="spec.search.storedTemplate is not supported yet"
type Search struct {
	// body is the body of a search request, with placeholders in double braces: one named query where the text of the
	// query goes, and one for each other parameter that the query has. It may be at most 64 KiB; fields that would
	// change what is measured are refused or dropped.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Body *runtime.RawExtension `json:"body,omitempty"`

	// bodyConfigMapRef names the key of a ConfigMap that holds the body. It is not supported yet.
	// +optional
	BodyConfigMapRef *ConfigMapKeyRef `json:"bodyConfigMapRef,omitempty"`

	// storedTemplate names a search template that the engine holds. It is not supported yet.
	// +optional
	StoredTemplate *StoredTemplate `json:"storedTemplate,omitempty"`

	// live is how the live index is searched, if that is not the same.
	// +optional
	Live *LiveSearch `json:"live,omitempty"`

	// idField is the field that holds the document ids which the judgments name.
	// +optional
	// +kubebuilder:default=_id
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule="!self.matches('[\\\\s*?,]')",message="spec.search.idField must be the name of one field, without spaces, wildcards or commas"
	IDField string `json:"idField,omitempty"`
}

// StoredTemplate names a search template that the engine holds.
type StoredTemplate struct {
	// id is the template's id.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	ID string `json:"id"`

	// params are the template's parameters, with placeholders as in a body.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Params *runtime.RawExtension `json:"params,omitempty"`
}

// LiveSearch is how the live index is searched.
type LiveSearch struct {
	// body is the body of a search request, in the form of spec.search.body.
	// +required
	// +kubebuilder:pruning:PreserveUnknownFields
	Body *runtime.RawExtension `json:"body"`
}

// Gain is how a grade becomes a gain in ndcg and dcg.
//
// +kubebuilder:validation:Enum=Exponential;Linear
type Gain string

// The ways in which a grade becomes a gain.
const (
	// GainExponential is 2^grade - 1.
	GainExponential Gain = "Exponential"
	// GainLinear is the grade itself.
	GainLinear Gain = "Linear"
)

// Metric is one measure and its limits.
//
// +kubebuilder:validation:XValidation:rule="!self.name.matches('^(dcg|unjudgedRate)@') || (!has(self.min) && !has(self.maxDrop))",message="dcg and unjudgedRate can have no limit, as dcg is not normalised and less of unjudgedRate is better: put it on ndcg or judged"
type Metric struct {
	// name is the measure and, where it has one, its cut: ndcg@10, recall@50, map, nonempty. trec_eval's names, such as
	// ndcg_cut_10, are trec_eval's measures. Names that the gate does not know are reported as InvalidMetric.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z][a-zA-Z0-9_.-]*(@[0-9]+)?$')",message="the name of a metric must be a word and, where the metric has a cut, @ and a number: ndcg@10"
	Name string `json:"name"`

	// min is what the candidate's score must reach.
	// +optional
	Min Fraction `json:"min,omitempty"`

	// maxDrop is how far the candidate's score may lie below that of the live index.
	// +optional
	MaxDrop Fraction `json:"maxDrop,omitempty"`

	// relevantFrom is the grade from which on a document counts as relevant, for measures that know only yes and no.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=30
	RelevantFrom int32 `json:"relevantFrom,omitempty"`

	// gain is how a grade becomes a gain in ndcg and dcg; trec_eval's ndcg and ndcg_cut_K are Linear whatever it says.
	// +optional
	// +kubebuilder:default=Exponential
	Gain Gain `json:"gain,omitempty"`

	// confidence makes the limits of the metric, those of segments among them, hold for the near end of an interval and not
	// only for the score: "0.95" is that of the 95 % interval. A score that holds while the end does not is Inconclusive.
	// +optional
	// +kubebuilder:validation:XValidation:rule="double(self) >= 0.5 && double(self) <= 0.999",message="the confidence of a metric must be from 0.5 to 0.999"
	Confidence Fraction `json:"confidence,omitempty"`
}

// Regressions limits how many single queries may get worse.
type Regressions struct {
	// metric is the name of one of spec.metrics.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="!self.matches('^(dcg|unjudgedRate)@')",message="spec.regressions.metric cannot be dcg or unjudgedRate: name ndcg or judged"
	Metric string `json:"metric"`

	// drop is how far a query must fall to count as a regression.
	// +required
	Drop Fraction `json:"drop"`

	// maxQueries is the number of queries that may regress. Without it regressions are reported only.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	MaxQueries *int32 `json:"maxQueries,omitempty"`

	// protectWeightFrom is the weight from which on a query may not regress at all, however many others may.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000000
	ProtectWeightFrom *int64 `json:"protectWeightFrom,omitempty"`
}

// Judgments says how much of what is found must have been judged.
type Judgments struct {
	// minJudged is the share of the first hits that must have been judged. Without it the share is reported only.
	// +optional
	MinJudged Fraction `json:"minJudged,omitempty"`

	// at is the number of first hits that the share is taken of.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	At int32 `json:"at,omitempty"`

	// requireWhy refuses a golden set with a judgment that does not say why.
	// +optional
	// +kubebuilder:default=false
	RequireWhy bool `json:"requireWhy,omitempty"`
}

// Segments puts limits on parts of the golden set.
type Segments struct {
	// minQueries is the number of queries that a segment must have: with fewer its limit is Inconclusive.
	// +optional
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	MinQueries int32 `json:"minQueries,omitempty"`

	// limits are the limits, each for one segment and one metric.
	// +required
	// +listType=map
	// +listMapKey=segment
	// +listMapKey=metric
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	Limits []SegmentLimit `json:"limits"`
}

// SegmentLimit is a limit for one segment and one metric.
type SegmentLimit struct {
	// segment is the name of the segment, as the queries of the golden set carry it. At least one must.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Segment string `json:"segment"`

	// metric is the name of one of spec.metrics.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="!self.matches('^(dcg|unjudgedRate)@')",message="a segment can have no limit on dcg or unjudgedRate: name ndcg or judged"
	Metric string `json:"metric"`

	// min is what the candidate's score over the segment must reach.
	// +required
	Min Fraction `json:"min"`
}

// PromotionPolicy is who decides that the alias moves.
//
// +kubebuilder:validation:Enum=Automatic;Manual;Off
type PromotionPolicy string

// The policies of promotion.
const (
	// PolicyAutomatic moves the alias as soon as the candidate has passed.
	PolicyAutomatic PromotionPolicy = "Automatic"
	// PolicyManual waits for an approval after the candidate has passed.
	PolicyManual PromotionPolicy = "Manual"
	// PolicyOff measures and never moves the alias.
	PolicyOff PromotionPolicy = "Off"
)

// LockMode is when the candidate is protected against writes and against being made live by others.
//
// +kubebuilder:validation:Enum=UntilPassed;DuringSwap;None
type LockMode string

// The lock modes.
const (
	// LockUntilPassed locks the candidate from when it is ready until it is promoted.
	LockUntilPassed LockMode = "UntilPassed"
	// LockDuringSwap blocks writes to the candidate only while the alias moves.
	LockDuringSwap LockMode = "DuringSwap"
	// LockNone never blocks the candidate.
	LockNone LockMode = "None"
)

// Health is the health that an index must have.
//
// +kubebuilder:validation:Enum=Yellow;Green
type Health string

// The healths of an index.
const (
	HealthYellow Health = "Yellow"
	HealthGreen  Health = "Green"
)

// OnDrift is what is done when the alias points where no promotion put it.
//
// +kubebuilder:validation:Enum=Report;Revert
type OnDrift string

// The answers to drift.
const (
	// OnDriftReport says so in the status.
	OnDriftReport OnDrift = "Report"
	// OnDriftRevert moves the alias back, at most 3 times an hour.
	OnDriftRevert OnDrift = "Revert"
)

// Promotion is when and how the alias moves.
//
// +kubebuilder:validation:XValidation:rule="!has(self.maxContentDrift)",message="spec.promotion.maxContentDrift is not supported yet"
type Promotion struct {
	// policy is who decides that the alias moves: Automatic, Manual (an approval is asked for) or Off.
	// +optional
	// +kubebuilder:default=Manual
	Policy PromotionPolicy `json:"policy,omitempty"`

	// lock is when the candidate is protected against writes and against being made live by others.
	// +optional
	// +kubebuilder:default=DuringSwap
	Lock LockMode `json:"lock,omitempty"`

	// createAlias lets the first promotion make an alias that does not exist yet.
	// +optional
	// +kubebuilder:default=false
	CreateAlias bool `json:"createAlias,omitempty"`

	// minDocsRatio is the least number of documents in the candidate, as a share of those in the live index.
	// +optional
	// +kubebuilder:default="0.95"
	MinDocsRatio Fraction `json:"minDocsRatio,omitempty"`

	// maxContentDrift is the share of documents that may change between the measuring and the swap. It is not supported
	// yet.
	// +optional
	MaxContentDrift Fraction `json:"maxContentDrift,omitempty"`

	// minHealth is the health that the candidate must have before the alias moves.
	// +optional
	// +kubebuilder:default=Yellow
	MinHealth Health `json:"minHealth,omitempty"`

	// onDrift is what is done when the alias points where no promotion put it.
	// +optional
	// +kubebuilder:default=Report
	OnDrift OnDrift `json:"onDrift,omitempty"`

	// approvalSeconds is how long an approval holds.
	// +optional
	// +kubebuilder:default=86400
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=31536000
	ApprovalSeconds int32 `json:"approvalSeconds,omitempty"`
}

// Evaluation is how the measuring is done, and by what kind of pod.
//
// +kubebuilder:validation:XValidation:rule="!has(self.resources) || !has(self.resources.claims)",message="spec.evaluation.resources.claims is not supported yet"
type Evaluation struct {
	// repeats is how many times everything is measured. The candidate's scores must come out the same each time.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	Repeats int32 `json:"repeats,omitempty"`

	// maxErrors is the number of queries that may end in an error.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	MaxErrors int32 `json:"maxErrors,omitempty"`

	// settleSeconds is how long the candidate must hold still before it is measured.
	// +optional
	// +kubebuilder:default=30
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	SettleSeconds *int32 `json:"settleSeconds,omitempty"`

	// pollSeconds is how often the engine is looked at while nothing happens.
	// +optional
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=5
	// +kubebuilder:validation:Maximum=86400
	PollSeconds int32 `json:"pollSeconds,omitempty"`

	// timeoutSeconds is how long one attempt may take.
	// +optional
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	TimeoutSeconds int32 `json:"timeoutSeconds,omitempty"`

	// retries is how many more attempts follow one that failed. Attempts that failed because the engine was not there
	// are not counted.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10
	Retries *int32 `json:"retries,omitempty"`

	// maxConcurrentSearches is how many searches are under way at a time.
	// +optional
	// +kubebuilder:default=4
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=256
	MaxConcurrentSearches int32 `json:"maxConcurrentSearches,omitempty"`

	// credentialsSecretRef names the Secret with the pod's own, read-only credentials, with the keys of
	// spec.engine.credentialsSecretRef. Without it the pod gets those of the gate.
	// +optional
	CredentialsSecretRef *SecretRef `json:"credentialsSecretRef,omitempty"`

	// resources are the resources of the pod's container.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`

	// serviceAccountName is the ServiceAccount that the pod runs as. It needs no rights, and no token is mounted.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// nodeSelector are labels that the pod's node must have.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// tolerations are the taints that the pod tolerates.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// podMetadata are labels and annotations of the pod. The gate's own cannot be overwritten.
	// +optional
	PodMetadata *PodMetadata `json:"podMetadata,omitempty"`

	// imagePullSecrets name the Secrets that the pod's image is pulled with.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	ImagePullSecrets []SecretRef `json:"imagePullSecrets,omitempty"`
}

// PodMetadata are labels and annotations of a pod.
type PodMetadata struct {
	// labels are added to the pod's.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Labels map[string]string `json:"labels,omitempty"`

	// annotations are added to the pod's.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Schedule is when to measure again.
type Schedule struct {
	// cron is the time in cron's five fields.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Cron string `json:"cron"`

	// timeZone is the time zone that cron is read in, such as Europe/Madrid.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	TimeZone string `json:"timeZone,omitempty"`
}
