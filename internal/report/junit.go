package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

// The elements of a JUnit report that both schemas in use have, Ant's and Jenkins's.
// Ant's asks for all of a suite's elements and attributes, so none is left out when
// it is empty, and Jenkins's for at least one property.
type (
	junitSuites struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suite   junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		ID         int             `xml:"id,attr"`
		Package    string          `xml:"package,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr"`
		Hostname   string          `xml:"hostname,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		SystemOut  string          `xml:"system-out"`
		SystemErr  string          `xml:"system-err"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		Time    string       `xml:"time,attr"`
		Skipped *junitReason `xml:"skipped"`
		Error   *junitReason `xml:"error"`
		Failure *junitReason `xml:"failure"`
	}
	junitReason struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// junit writes one test case a limit. A limit that is missed is a failure with its
// sentence; what could not be judged is an error.
func junit(w io.Writer, r Result, _ Style) error {
	suite := newSuite(r.Gate, r.Report.TookSeconds, r.At)
	valid := true
	for _, limit := range verdict.Each(r.Report.Measurement, r.Limits) {
		c := junitCase{Class: suite.Package, Name: limit.Name, Time: "0"}
		reason := &junitReason{Type: limit.Reason, Message: limit.Message}
		switch {
		case !valid:
			c.Skipped = &junitReason{Message: "not judged, as the evidence is not valid; " + limit.Message}
		case limit.Verdict == verdict.NotApplicable:
			c.Skipped = &junitReason{Message: limit.Message}
		case limit.Verdict == verdict.Failed:
			reason.Text = limit.Message + "\n"
			if ofRegressions(limit.Kind) || limit.Kind != verdict.SegmentMin && strings.HasPrefix(limit.Name, r.Report.WorstMetric+" ") {
				reason.Text += worstLines(r)
			}
			c.Failure = reason
		case limit.Verdict == verdict.Inconclusive:
			c.Error = reason
			valid = limit.Kind != verdict.Evidence
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.property("verdict", string(r.Outcome.Verdict))
	suite.property("reason", r.Outcome.Reason)
	suite.property("golden set digest", r.Report.GoldenDigest)
	suite.property("golden set content digest", r.Report.GoldenContent)
	for _, score := range r.Report.Measurement.Scores {
		suite.score(score.Metric+" candidate", score.Candidate)
		suite.score(score.Metric+" live", score.Live)
		suite.score(score.Metric+" delta", deltaOf(score))
		suite.interval(score.Metric+" candidate", score.Interval)
		suite.interval(score.Metric+" delta", score.DeltaInterval)
	}
	for _, segment := range r.Report.Measurement.Segments {
		name := segment.Metric + " of segment " + segment.Segment
		suite.property(name+" queries", strconv.Itoa(segment.Queries))
		suite.score(name+" candidate", segment.Candidate)
		suite.score(name+" live", segment.Live)
	}
	suite.SystemOut = r.Outcome.Message
	return writeSuite(w, suite)
}

// junitProblem writes a suite whose one test case is in error.
func junitProblem(w io.Writer, p Problem) error {
	suite := newSuite(p.Gate, 0, p.At)
	suite.property("reason", p.Reason)
	suite.Cases = []junitCase{{
		Class: suite.Package, Name: string(verdict.Evidence), Time: "0", Error: &junitReason{Type: p.Reason, Message: p.Message},
	}}
	return writeSuite(w, suite)
}

func newSuite(gate string, seconds float64, at time.Time) junitSuite {
	if gate == "" {
		gate = "gate"
	}
	return junitSuite{
		Name:      "relevance gate " + gate,
		Package:   gate,
		Time:      fmt.Sprintf("%.3f", seconds),
		Timestamp: at.UTC().Format("2006-01-02T15:04:05"),
		Hostname:  "localhost", // The schema's word for a name that does not matter.
	}
}

func (s *junitSuite) property(name, value string) {
	s.Properties = append(s.Properties, junitProperty{name, value})
}

func (s *junitSuite) score(name string, value *int64) {
	if value != nil {
		s.property(name, *decimal(value))
	}
}

// interval is that of the live index where this was measured alone, as in the
// document.
func (s *junitSuite) interval(name string, interval *verdict.Interval) {
	if interval != nil {
		s.score(name+" low", &interval.Low)
		s.score(name+" high", &interval.High)
	}
}

func ofRegressions(kind verdict.LimitKind) bool {
	return kind == verdict.MaxQueries || kind == verdict.Protected
}

// worstLines names the worst queries, for whoever looks at a failure of the metric
// that they are the worst by.
func worstLines(r Result) string {
	var lines strings.Builder
	writeWorst(&lines, r.Report, Style{})
	return lines.String()
}

func writeSuite(w io.Writer, suite junitSuite) error {
	suite.Tests = len(suite.Cases)
	for _, c := range suite.Cases {
		switch {
		case c.Failure != nil:
			suite.Failures++
		case c.Error != nil:
			suite.Errors++
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	out := xml.NewEncoder(w)
	out.Indent("", "  ")
	if err := out.Encode(junitSuites{Suite: suite}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
