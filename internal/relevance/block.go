package relevance

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// blockSize is how many draws share a generator. It is part of every result: another size gives other digits.
const blockSize = 50

// blockFunc makes the draw of that number from 0 on.
type blockFunc func(generator *rand.PCG, draw int)

// eachBlock makes all draws, on all cores, and the result does not depend on how many those are: draw i always gets the
// same words, because each block of draws has a generator of its own. newBlockFunc is called once a core, so that what it
// returns can keep memory of its own.
func eachBlock(draws int, seed uint64, newBlockFunc func() blockFunc) {
	blocks := (draws + blockSize - 1) / blockSize
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(blocks, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			draw := newBlockFunc()
			for block := int(next.Add(1)) - 1; block < blocks; block = int(next.Add(1)) - 1 {
				generator := rand.NewPCG(seed, uint64(block))
				for i := block * blockSize; i < min(draws, (block+1)*blockSize); i++ {
					draw(generator, i)
				}
			}
		})
	}
	workers.Wait()
}
