// Shop is the demo's shop: it fills the search engine with the sample products,
// moves the shop's aliases by hand as a team without a gate would, and shows
// what a gate says about them.
//
// It touches only indices that carry its own mark.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

const usage = `Usage: shop COMMAND FLAGS

  load    --url URL --index NAME --language es|en --products FILE --mapping FILE
          make the index anew and fill it with the products
  alias   --url URL --alias NAME --index NAME
          point the alias at the index and at no other
  where   --url URL --alias NAME
          print the index that the alias points at
  clear   --url URL
          delete the shop's indices, and their aliases with them
  explain --golden FILE < GATE.json
          print why the gate's verdict is what it is, with the texts of the
          worst queries, which the gate's status does not hold
`

// A single node answers each call of the shop at once; more is a fault.
const timeout = time.Minute

type options struct {
	url, index, alias, language, products, mapping, golden string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return errors.New("no command")
	}
	var o options
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(flags.Output(), usage) }
	for name, value := range map[string]*string{
		"url": &o.url, "index": &o.index, "alias": &o.alias, "language": &o.language,
		"products": &o.products, "mapping": &o.mapping, "golden": &o.golden,
	} {
		flags.StringVar(value, name, "", "")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	shop := engine{url: o.url}
	switch args[0] {
	case "load":
		return shop.load(ctx, o)
	case "alias":
		return shop.point(ctx, o.alias, o.index)
	case "where":
		indices, err := shop.targets(ctx, o.alias)
		if err != nil {
			return err
		}
		for _, index := range indices {
			fmt.Fprintln(out, index)
		}
		return nil
	case "clear":
		return shop.clear(ctx)
	case "explain":
		return explain(in, out, o.golden)
	}
	return fmt.Errorf("unknown command %q", args[0])
}
