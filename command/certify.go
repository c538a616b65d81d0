package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report"
	"github.com/spf13/cobra"
)

// certifyFlags are the flags of kedge certify.
type certifyFlags struct {
	specFlags
	horizon   int
	tau       float64
	algorithm string
	json      bool
	q         string
	metric    []float64 // q, read
}

func newCertify(kinds *kind.Catalogue) *cobra.Command {
	f := certifyFlags{specFlags: specFlags{kinds: kinds}}
	c := &cobra.Command{
		Use:   "certify CASE|FILE.yaml",
		Short: "Print what the theory guarantees for a problem",
		Long: `Find the constants of the paper's assumptions for a problem, check the assumptions, and evaluate the step sizes and
bounds of its theorems, each with how it is known: by proof or as an estimate. A bound that says nothing is called
vacuous. Beside the paper's form there is a tight one, from the same proofs, and a coupled one, by V instead of W₁.

The theorems are about the composite rule; the first algorithm of that kind is certified, or the one that is named.

Exit codes: 0 a certificate was printed, 1 the problem cannot be certified, 64 the command or the spec is wrong.`,
		Example: `  kedge certify polarized
  kedge certify polarized --T 100000 --set dynamics.lambda=0.3
  kedge certify mine.yaml --json | jq '.steps[] | {form, largest, excess}'`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.specFlags.offer(c)
	fl := c.Flags()
	fl.IntVar(&f.horizon, "T", 0, "turns of the run (default the spec's iterations)")
	fl.Float64Var(&f.tau, "tau", 0.05, "bounds in probability may fail with this one")
	fl.StringVar(&f.algorithm, "algorithm", "", "name of the algorithm to certify (default the first composite one)")
	fl.StringVar(&f.q, "Q", "", "Q of AᵀPA − P + Q = 0 for affine dynamics: its diagonal as in 1,4, or rows as in \"2,1;1,2\" (default the identity)")
	fl.BoolVar(&f.json, "json", false, "print the certificate as JSON")
	return c
}

func (f *certifyFlags) run(c *cobra.Command, target string) error {
	p, err := f.build(c, target)
	if err != nil {
		return err
	}
	if err := p.Spec.Doubt.Certain("a certificate is of one model, that of the numbers of the spec"); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	a, err := f.choose(p.Spec)
	if err == nil && (f.horizon < 0 || f.horizon == 0 && c.Flags().Changed("T") || !(f.tau > 0 && f.tau < 1)) {
		err = fmt.Errorf("--T %d and --tau %v: want a horizon of 1 or more and a probability between 0 and 1", f.horizon, f.tau)
	}
	if err != nil {
		return err
	}
	if f.metric, err = readQ(f.q); err != nil {
		return err
	}
	certificate, err := f.certify(c.Context(), p, a)
	if err != nil {
		return judged(c, fmt.Errorf("%s: %w", p.Name, err))
	}
	if f.json {
		return folder.WriteJSON(c.OutOrStdout(), certificate)
	}
	return exit.Failure(show(c.OutOrStdout(), report.Certificate(p.Name, &p.Spec.Algorithms[a], certificate).Brief...))
}

// choose returns the number of the algorithm that is meant.
func (f *certifyFlags) choose(s *problem.Spec) (int, error) {
	if f.algorithm == "" {
		return max(0, slices.IndexFunc(s.Algorithms, func(a kind.Algorithm) bool { return a.Facts().Certified })), nil
	}
	i := slices.IndexFunc(s.Algorithms, func(a kind.Algorithm) bool { return a.Name == f.algorithm })
	if i < 0 {
		return 0, fmt.Errorf("there is no algorithm %q in the spec; choose one of its names with --algorithm", f.algorithm)
	}
	return i, nil
}

// searched is how many searches for the optimum a certificate may take.
const searched = 3

// certify certifies the rule, with the optimum if a search finds it. What does not contract is not searched.
func (f *certifyFlags) certify(ctx context.Context, p *problem.Problem, a int) (*certify.Certificate, error) {
	if err := outsideTheory(p); err != nil {
		return nil, err
	}
	m, plan := p.Alone(), f.plan(p, a)
	constants, err := plan.Derive(m)
	if err != nil {
		return nil, err
	}
	steady, err := p.Steady()
	if err != nil {
		return nil, err
	}
	steady.Workers = runtime.NumCPU()
	effort := p.Search
	effort.Starts = min(effort.Starts, searched)
	best, err := optimum.Find(ctx, steady, p.Set, [][]float64{p.Start}, effort)
	switch {
	case err == nil:
		plan.Optimum = best.Decision
	case !errors.As(err, new(*kedge.NotConvergedError)):
		return nil, err
	}
	return constants.Certify(ctx, m, plan)
}

// plan says what the theory needs to know of an algorithm and its run.
func (f *certifyFlags) plan(p *problem.Problem, a int) certify.Premises {
	rule := &p.Spec.Algorithms[a]
	x := certify.Premises{
		Sampled: !kind.IsListed(p.Spec.Population.Law), Step: p.FirstStep(a), Batch: rule.Batch, Everybody: p.Spec.Population.Sampling == "without-replacement",
		AtState: !rule.Facts().Settled,
		Horizon: cmp.Or(f.horizon, p.Spec.Iterations), Tau: f.tau, Q: f.metric, Beyond: beyondTheory(p.Spec, rule), Seed: p.Spec.Seed,
	}
	if diminishes(rule) {
		x.Steps = certify.SumSteps(x.Horizon, rule.Steps(rule.Step, x.Horizon).Step)
	}
	return x
}

// diminishes tells whether the steps of an algorithm become shorter along the run.
func diminishes(a *kind.Algorithm) bool { return a.Schedule != "constant" && a.Schedule != "horizon" }

// readQ reads a diagonal or the rows of a square matrix; nothing is the identity.
func readQ(text string) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	var table [][]float64
	for _, line := range strings.Split(text, ";") {
		var row []float64
		for _, word := range strings.Split(line, ",") {
			v, err := strconv.ParseFloat(strings.TrimSpace(phrase.Typed(word)), 64)
			if err != nil {
				return nil, fmt.Errorf("--Q %q: %q is not a number; want a diagonal as in 1,4 or rows as in \"2,1;1,2\"", text, word)
			}
			row = append(row, v)
		}
		table = append(table, row)
	}
	n := len(table[0])
	q := make([]float64, n*n)
	for i, row := range table {
		switch {
		case len(table) == 1:
			for j, v := range row {
				q[j*n+j] = v
			}
		case len(table) != n || len(row) != n:
			return nil, fmt.Errorf("--Q %q: want as many rows as columns, or a diagonal alone", text)
		default:
			copy(q[i*n:], row)
		}
	}
	return q, nil
}

// outsideTheory says why the theory has nothing to say about a problem.
func outsideTheory(p *problem.Problem) error {
	switch {
	case p.Moves() || p.Noisy():
		return errors.New("not certified: people or their states change by themselves, and the theory is of people who stay as they are; want no population.drift, population.churn and dynamics.noise")
	case p.Social:
		return errors.New("not certified: individuals follow the crowd's mean, and the theory is of individuals who move by themselves; want dynamics.coupling 0, or no crowd(…) in model.next")
	case p.Weights != nil:
		return errors.New("not certified: people have weights, and the constants of the theory are worked out for people who count and are sampled alike; want no population.weights, or rows that are repeated")
	case p.Spec.Players != nil:
		return errors.New("not certified: there are several decision-makers, and the theory is of one; want an objective and a set instead of players")
	case p.Spec.Constraints != nil || p.Spec.Changes != nil:
		return errors.New("not certified: the theory is of one loss that is minimized without constraints on the population or changes of the set; want neither constraints nor changes")
	}
	return nil
}

// beyondTheory lists what a spec asks for that the theorems do not cover.
func beyondTheory(s *problem.Spec, a *kind.Algorithm) (list []string) {
	known := a.Facts()
	add := func(is bool, text string) {
		if is {
			list = append(list, text)
		}
	}
	add(!known.Certified, "the rule is "+a.Kind()+"; the theorems are about composite")
	add(diminishes(a), "the step changes from turn to turn; its first and largest is taken")
	add(a.Momentum > 0, "gradients are averaged by momentum")
	add(a.Clip < 1e300, "gradients are clipped")
	add(known.Remembers, "the sensitivity uses the norm of the step before")
	add(a.RateLimit > 0, "steps are cut to the rate limit")
	add(known.Learned || known.Wrong != nil, "the sensitivity is not the true one")
	add(s.Hold > 1 || a.Hold > 1, "decisions are held for several steps of the crowd, which contracts more than one")
	return list
}

// certifySection is the certificate for the page of a run.
func certifySection(ctx context.Context, p *problem.Problem) (folder.Section, error) {
	f := certifyFlags{tau: 0.05}
	a, err := f.choose(p.Spec)
	if err != nil {
		return folder.Section{}, err
	}
	c, err := f.certify(context.WithoutCancel(ctx), p, a)
	return report.CertificateSection(c, err, p.Spec.Doubt.Uncertain), nil
}
