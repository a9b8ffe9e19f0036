package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
)

const (
	hitsPerQuery = 100
	// Of each query, as many hits are judged, and as many documents that are no hits.
	judgedHits  = 13
	documentIDs = 1_000_000
	// longestStep keeps the documents of a query apart.
	longestStep = documentIDs / (hitsPerQuery + judgedHits)
)

// generate writes a run and its qrels, the same ones every time, and returns their size in bytes. Queries and hits are
// in order, as programs write them; some hits have equal scores.
func generate(qrelsName, runName string, queries int) (int64, error) {
	qrelsFile, err := os.Create(qrelsName)
	if err != nil {
		return 0, err
	}
	defer func() { _ = qrelsFile.Close() }() // The error of the close below counts.
	runFile, err := os.Create(runName)
	if err != nil {
		return 0, err
	}
	defer func() { _ = runFile.Close() }()
	qrels, run := bufio.NewWriterSize(qrelsFile, 1<<20), bufio.NewWriterSize(runFile, 1<<20)
	random := rand.New(rand.NewPCG(5, 6))
	size := 0
	for query := range queries {
		size += writeQuery(qrels, run, random, query)
	}
	return int64(size), errors.Join(qrels.Flush(), run.Flush(), qrelsFile.Close(), runFile.Close())
}

// writeQuery writes the judgments and the hits of a query, and returns their size in bytes. A write that fails is told by
// the flush.
func writeQuery(qrels, run io.Writer, random *rand.Rand, query int) int {
	first, step := random.IntN(documentIDs), 1+random.IntN(longestStep)
	document := func(i int) int { return (first + i*step) % documentIDs }
	size := 0
	judge := func(i int) {
		n, _ := fmt.Fprintf(qrels, "q%d 0 d%d %d\n", query, document(i), random.IntN(4))
		size += n
	}
	rank := random.IntN(hitsPerQuery)
	for i := range judgedHits {
		judge((rank + 7*i) % hitsPerQuery)
		judge(hitsPerQuery + i)
	}
	score := 60.0
	for i := range hitsPerQuery {
		score -= float64(random.IntN(400)) / 1000
		n, _ := fmt.Fprintf(run, "q%d Q0 d%d %d %.3f b\n", query, document(i), i+1, score)
		size += n
	}
	return size
}
