package service

import (
	"bytes"
	"context"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/batch"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/spf13/cobra"
)

const exits = "\n\nExit codes: 0 done, 1 the service refused or did not answer, 3 the loop holds: what is live stays live."

// rounds are what is said in a round of a loop, but for what people did.
func rounds() []talk {
	return []talk{
		{use: "ask LOOP", short: "Ask a loop for the decision to deploy", args: cobra.ExactArgs(1),
			long:    "Ask a loop for the decision to deploy. Until it comes to something the answer is the same. With --data no service is needed: a job that\nruns once a day asks, deploys, tells and closes on the folder itself." + exits,
			example: "  kedge ask shop\n  kedge ask shop --data shop-data --json",
			do:      func(ctx context.Context, o order) (any, error) { return o.loop().Ask(ctx) }},
		{use: "deploy LOOP K U...", short: "Say what was deployed", args: cobra.MinimumNArgs(3), ofDecision: true,
			long:    "Say what was deployed for decision K, number by number. It may differ from what was decided: the rule learns at what people met.",
			example: "  kedge deploy shop 1 5.1 4.9 7.8",
			do: func(ctx context.Context, o order) (any, error) {
				u, err := numbersOf(o.args[2:])
				if err != nil {
					return nil, err
				}
				return o.loop().Deploy(ctx, o.k, u)
			}},
		{use: "close LOOP K", short: "Have a loop learn from a decision", args: cobra.ExactArgs(2), ofDecision: true, example: "  kedge close shop 1",
			long: "Have a loop learn from decision K: one step of its rule, or the reason why there is none." + exits,
			do:   func(ctx context.Context, o order) (any, error) { return o.loop().Close(ctx, o.k) }},
		{use: "abandon LOOP K", short: "Give a decision up without learning from it", args: cobra.ExactArgs(2), ofDecision: true, reasoned: true,
			long:    "Give decision K up without learning from it; the next ask offers the same again.",
			example: "  kedge abandon shop 1 --reason \"store closed\"",
			do:      func(ctx context.Context, o order) (any, error) { return o.loop().Abandon(ctx, o.k, o.reason) }},
	}
}

// numbersOf reads a decision, number by number.
func numbersOf(list []string) (u []float64, err error) {
	for _, text := range list {
		v, err := strconv.ParseFloat(phrase.Typed(text), 64)
		if err != nil {
			return nil, wrong("%s is no number", phrase.Safe(text))
		}
		u = append(u, v)
	}
	return u, nil
}

func toTell() talk {
	var metric string
	return talk{
		use: "tell LOOP K BATCH [FILE]", short: "Tell what people did", args: cobra.RangeArgs(2, 4), ofDecision: true,
		long: `Tell people who answered decision K, under a name of the batch: one a line as JSON, {"p": [...], "d": [...], "w": 1, "id": "..."},
from a file or from standard input. The end of a file's name says what it is: .ndjson; .json with all people in one object,
{"p": [[...], ...], "d": [[...], null, ...]}; .csv and .parquet with the columns p.0, p.1, …, d.0, …, w, id; .npz with the arrays p, d, w
and id, as numpy.savez writes them. The same batch again changes nothing, in whatever format.

With --metric it is a number for a guardrail of the kind external: name=value, with its standard error and how many it is of after it.`,
		example: "  kedge tell shop 1 morning morning.ndjson\n  zcat morning.gz | kedge tell shop 1 morning\n  kedge tell shop 1 --metric complaints=2.7,0.1,12000",
		flags: func(c *cobra.Command) {
			c.Flags().StringVar(&metric, "metric", "", "a number for a guardrail: name=value, or name=value,error,count")
		},
		do: func(ctx context.Context, o order) (any, error) {
			if metric != "" {
				name, number, err := metricOf(metric, o.args)
				if err != nil {
					return nil, err
				}
				return o.loop().Metric(ctx, o.k, name, number)
			}
			if len(o.args) < 3 {
				return nil, wrong("kedge tell wants a loop, a decision and the name of a batch, or --metric")
			}
			content, mediaType, err := answersOf(strings.Join(o.args[3:], ""), o.in)
			if err != nil {
				return nil, err
			}
			return o.loop().TellAs(ctx, o.k, o.args[2], mediaType, content)
		},
	}
}

// metricOf reads a number for a guardrail.
func metricOf(text string, args []string) (name string, m guard.Metered, err error) {
	name, numbers, ok := strings.Cut(text, "=")
	x, err := numbersOf(strings.Split(numbers, ","))
	if err != nil || !ok || name == "" || len(x) > 3 || len(args) > 2 {
		return "", m, wrong("--metric is name=value, or name=value,error,count, of a loop and a decision; not %s", phrase.Safe(text))
	}
	m.Value = x[0]
	if len(x) > 1 {
		m.SE = x[1]
	}
	if len(x) > 2 {
		m.N = &x[2]
	}
	return name, m, nil
}

// answersOf reads people from a file, or lines of JSON from standard input if there is no name. CSV is sent as Parquet.
func answersOf(name string, in io.Reader) (content []byte, mediaType string, err error) {
	format, known := batch.Lines, true
	if name != "" && name != "-" {
		if format, known = batch.FormatOf(name); !known {
			return nil, "", wrong("%s: people are read from .ndjson, .json, .csv, .parquet and .npz", phrase.Safe(name))
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, "", &usage{err.Error()}
		}
		defer f.Close()
		in = f
	}
	most := batch.DefaultMost(format)
	if format == batch.CSV {
		table, err := batch.ReadCSV(in, most)
		var packed bytes.Buffer
		if err == nil {
			err = table.WriteParquet(&packed)
		}
		if err != nil {
			return nil, "", wrong("%s: %v", phrase.Safe(name), err)
		}
		return packed.Bytes(), string(batch.Parquet), nil
	}
	content, err = io.ReadAll(io.LimitReader(in, most.Bytes+1))
	if err == nil && int64(len(content)) > most.Bytes {
		err = wrong("%s: more than %d bytes: tell it in several batches", phrase.Safe(name), most.Bytes)
	}
	return content, string(format), err
}
