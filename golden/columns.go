package golden

import (
	"errors"
	"fmt"
	"slices"

	"github.com/relevance-gate/relevance-gate/internal/nearest"
)

// column is what a column of a table says.
type column int

const (
	columnQuery column = iota
	columnQueryID
	columnDocID
	columnGrade
	columnWhy
	columnJudge
	columnAt
	columnSegments
	columnWeight
	columnNoResults
	columnParams
	columnCount
	columnID    // of the document, unless another column is; then of the row, or of nobody knows what
	columnLabel // the grade, unless another column is
)

// columnNames are what columns are called, without case, blanks, dashes and underscores. They are the names that the
// exporters of other tools write (Quepid, BEIR, ESCI, WANDS, MS MARCO), and those of our own form.
var columnNames = map[string]column{
	"query": columnQuery, "querytext": columnQuery, "q": columnQuery, "searchterm": columnQuery, "searchquery": columnQuery,
	"userquery": columnQuery, "keyword": columnQuery,
	"queryid": columnQueryID, "qid": columnQueryID, "topic": columnQueryID, "topicid": columnQueryID,
	"docid": columnDocID, "doc": columnDocID, "docno": columnDocID, "document": columnDocID, "documentid": columnDocID,
	"externalid": columnDocID, "corpusid": columnDocID, "productid": columnDocID, "itemid": columnDocID,
	"productuid": columnDocID, "asin": columnDocID, "sku": columnDocID, "url": columnDocID,
	"id":    columnID,
	"grade": columnGrade, "rating": columnGrade, "relevance": columnGrade, "rel": columnGrade, "score": columnGrade,
	"gain": columnGrade, "judgment": columnGrade, "judgement": columnGrade, "escilabel": columnGrade,
	"label": columnLabel,
	"why":   columnWhy, "reason": columnWhy, "explanation": columnWhy,
	"judge": columnJudge, "judgedby": columnJudge, "rater": columnJudge, "user": columnJudge, "useremail": columnJudge,
	"at": columnAt, "judgedat": columnAt, "date": columnAt,
	"segments": columnSegments, "segment": columnSegments, "tags": columnSegments,
	"weight":          columnWeight,
	"expectnoresults": columnNoResults,
	"params":          columnParams,
}

// columns say where in a row is what.
type columns struct {
	names  []string         // of the header
	index  [columnCount]int // -1: there is no such column
	others []string         // the names of columns that say nothing about a golden set
	quepid bool             // Quepid wrote the table
}

// Quepid's own tables: the ratings of a case or of a snapshot, in two spellings; and the results of a case with all
// fields that it shows, of which any may be called like a column of ours.
var (
	quepidRatings = [][]string{{"query", "docid", "rating"}, {"query", "doc_id", "rating"}}
	quepidDetails = []string{"Case ID", "Query Text", "Doc ID"}
	quepidGeneral = []string{"Case ID", "Query Text", "Score"}
	quepidColumns = map[string]column{"Query Text": columnQuery, "Doc ID": columnDocID, "Rating": columnGrade}
)

// isQuepid tells Quepid's tables by their header.
func isQuepid(header []string) bool {
	return slices.ContainsFunc(quepidRatings, func(names []string) bool { return slices.Equal(names, header) }) || isQuepidDetails(header)
}

func isQuepidDetails(header []string) bool {
	return containsAll(header, quepidDetails)
}

func containsAll(header, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(header, name) })
}

// isHeader tells whether a row names columns: a query's text or id, and something more that is known.
func isHeader(header []string) bool {
	query, known := false, 0
	for _, name := range header {
		if c, ok := columnNames[plainName(name)]; ok {
			known++
			query = query || c == columnQuery || c == columnQueryID
		}
	}
	return query && known > 1
}

// readHeader finds the columns of a table.
func readHeader(header []string) (columns, error) {
	c := columns{names: header, quepid: isQuepid(header), index: noColumns}
	id, label := -1, -1
	for i, name := range header {
		known, ok := lookUpColumn(header, name)
		switch {
		case !ok:
			if meant, near := nearest.Word(plainName(name), decisive); near && !isQuepidDetails(header) {
				return c, fmt.Errorf("the column %s is not known, but close to %s; write that, or rename the column", quote(name), meant)
			}
			c.others = append(c.others, name)
		case known == columnID:
			id = i
		case known == columnLabel:
			label = i
		case c.index[known] >= 0:
			return c, fmt.Errorf("the columns %s and %s both seem to hold the %s; rename one of them", quote(header[c.index[known]]), quote(name), known)
		default:
			c.index[known] = i
		}
	}
	c.fallBack(columnDocID, id)
	c.fallBack(columnGrade, label)
	if id >= 0 && c.index[columnDocID] != id && !c.has(columnQueryID) {
		return c, fmt.Errorf("the column %s may hold the query's id or the document's; call it query_id or doc_id", quote(header[id]))
	}
	return c, c.check()
}

// lookUpColumn finds what a column of a header says.
func lookUpColumn(header []string, name string) (known column, ok bool) {
	if isQuepidDetails(header) {
		known, ok = quepidColumns[name]
		return known, ok
	}
	plain := plainName(name)
	known, ok = columnNames[plain]
	return known, ok && (plain != "score" || !isRanking(header))
}

// noColumns is the index of a table without columns.
var noColumns = func() (index [columnCount]int) {
	for i := range index {
		index[i] = -1
	}
	return index
}()

// fallBack takes the column at a place, -1 for none, for what no other column is.
func (c *columns) fallBack(what column, place int) {
	switch {
	case place < 0:
	case c.has(what):
		c.others = append(c.others, c.names[place])
	default:
		c.index[what] = place
	}
}

// decisive are the columns without which a query silently counts otherwise.
var decisive = []string{"weight", "segments", "expectnoresults", "params"}

// isRanking tells tables of documents whose column score is that of a search engine. BEIR's qrels call the grade so.
func isRanking(header []string) bool {
	documents := slices.ContainsFunc(header, func(name string) bool { return columnNames[plainName(name)] == columnDocID })
	return documents && !slices.ContainsFunc(header, func(name string) bool { return plainName(name) == "corpusid" })
}

func (c *columns) has(what column) bool { return c.index[what] >= 0 }

// check makes sure that the columns make sense together.
func (c *columns) check() error {
	switch doc, grade := c.has(columnDocID), c.has(columnGrade); {
	case !c.has(columnQuery) && !c.has(columnQueryID):
		return errors.New("no column holds the queries; call it query, or query_id if another file tells their texts")
	case doc && !grade:
		return c.noGrades()
	case !doc && containsAll(c.names, quepidGeneral):
		return errQuepidUnrated
	case grade && !doc:
		return errors.New("no column holds the documents; call it doc_id")
	case !doc && !c.has(columnQuery):
		return errors.New("no column holds the documents, and none the texts of the queries; call them doc_id and query")
	}
	return nil
}

var errQuepidUnrated = errors.New("it is a table of Quepid without ratings; export the ratings of the case instead")

// noGrades says what to do about documents without grades.
func (c *columns) noGrades() error {
	switch {
	case c.quepid:
		return errQuepidUnrated
	case len(c.others) > 1:
		return errors.New("no column holds the grades; call it grade or rating, and where each judge has a column, as in a book of Quepid, settle on one")
	}
	return errors.New("no column holds the grades; call it grade or rating")
}

// String names a column for messages.
func (c column) String() string {
	return [...]string{"query's text", "query's id", "document's id", "grade", "reason", "judge", "date", "segments", "weight", "expectNoResults", "params"}[c]
}

// segmentSeparator parts the segments in a cell.
const segmentSeparator = ";"
