package study

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// told is what a result says: its words, its numbers to twelve digits, and sums of its series and of its table.
func told(t *testing.T, r *Result) (lines []string) {
	t.Helper()
	lines = append(lines, fmt.Sprintf("%s: %s | %s | %s | %v | %d trials, seed %d, quick %t, holds %t", r.Name, r.Title, r.Question, r.Theory, r.Theorems, r.Trials, r.Seed, r.Quick, r.Holds()))
	lines = append(lines, r.Design, r.Headline)
	for _, c := range r.Claims {
		lines = append(lines, fmt.Sprintf("claim %s: %.12g in %.12g … %.12g, theory %.12g, sure %t, exact %t, %s", c.What, c.Measured, c.Low, c.High, c.Theory, c.Sure, c.Exact, c.Verdict))
	}
	lines = append(lines, r.Reasons...)
	for _, c := range r.Charts {
		lines = append(lines, fmt.Sprintf("chart %s: %s | %s | %s (%t) | %s (%t)", c.Name, c.Title, c.Caption, c.X, c.LogX, c.Y, c.LogY))
		for _, s := range c.Series {
			if err := s.check(); err != nil {
				t.Error(err)
			}
			all := fmt.Sprintf("%.11g", [][]float64{s.X, s.Y, s.Low, s.High})
			if n := len(s.X); n > 1 {
				lines = append(lines, fmt.Sprintf("  %q %d of (%.6g, %.6g) … (%.6g, %.6g), theory %t, points %t, like %q: %.6x", s.Name, n, s.X[0], s.Y[0], s.X[n-1], s.Y[n-1], s.Theory, s.Points, s.Like, sha256.Sum256([]byte(all))))
			}
		}
	}
	var table bytes.Buffer
	if err := r.Table.WriteCSV(&table); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	for i, row := range strings.Split(strings.TrimSpace(table.String()), "\n") {
		if i < 2 {
			lines = append(lines, "table "+row)
		}
	}
	return append(lines, fmt.Sprintf("table %.6x, spec %.6x", sha256.Sum256(table.Bytes()), sha256.Sum256([]byte(r.Spec))))
}

// Quick studies of two and three trials find what they found when this was recorded. Those that are long are told of in parts.
func TestStudiesAreAsRecorded(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector it takes a minute; TestSameBitsOnAnyWorkers runs there")
	}
	for _, s := range All() {
		if slices.Contains([]string{"generalization", "steering"}, s.Name) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			var done, total int64
			o := Options{Quick: true, Trials: 2, Seed: 5, Workers: 1, Progress: func(d, n int64) { done, total = d, n }}
			r, err := s.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			evidence.AsRecorded(t, "testdata/"+s.Name+".txt", append(told(t, r), fmt.Sprintf("%d of %d pieces of work", done, total)))
		})
	}
}

// small is a study of few trials of which a test does parts.
func small(t *testing.T, name string) *work {
	return &work{Options: Options{Quick: true, Trials: 3, Seed: 9, Workers: 1}, ctx: t.Context(), result: Result{Name: name, Trials: 3}}
}

func TestPartsOfSteeringAreAsRecorded(t *testing.T) {
	t.Parallel()
	w := small(t, "steering")
	w.countViolations(2000)
	w.compareAnswers(60)
	w.weakReactions(30)
	w.drawAngles()
	lines := told(t, w.finish())
	s := stream.New(4, "triples")
	for range 12 {
		one := randomTriple(s)
		lines = append(lines, fmt.Sprintf("%d entries, λ %.9g, σ %.9g: %.9g of %.9g, turns by %.9g", len(one.d), one.lambda, one.sigma, one.d, one.u, one.turn(one.lambda, one.sigma)))
		lines = append(lines, fmt.Sprint(one.violations(0.5), one.violations(-min(one.lambda, one.sigma)/4))) // a weaker reaction moves less
	}
	evidence.AsRecorded(t, "testdata/steering.txt", lines)
}

func TestPartsOfGeneralizationAreAsRecorded(t *testing.T) {
	evidence.OneGoroutine(t)
	t.Parallel()
	w := small(t, "generalization")
	sizes := []int{5, 7, 12}
	distances, gradients := w.sampleDistances(sizes), w.sampleGradients(sizes)
	w.drawSamples(distanceDims(), "squared Wasserstein distance", Chart{Name: "distance", Title: "Distance of a sample from its law"}, distances)
	w.drawSamples(gradientDims(), "squared error of the gradient", Chart{Name: "gradient", Title: "Error of the gradient on a sample"}, gradients)
	w.tabulate("N", append(distances, gradients...)...)
	lines := told(t, w.finish())
	w = small(t, "generalization")
	w.tabulate("N", w.decisionsForTheLaw(finites()[:1], []int{5, 20}, []int{30, 90})...)
	lines = append(lines, told(t, w.finish())...)
	for _, f := range finites() {
		w = small(t, "generalization")
		cells, doubt := w.overPeopleAndTurns(f, []int{4, 9}, []int{25, 40}, 2)
		list := levels(cells)
		law := guess(list)
		near := law.fitted(list)
		lines = append(lines, fmt.Sprintf("%s %d: %.12g, doubt %.12g, levels %.12g", f.name, f.r, cells, doubt, list), fmt.Sprintf("guess %.12g, off %.12g, fitted %.9g, off %.9g", law, law.off(list), near, near.off(list)), f.words(law, law.misfit(list), doubt))
		sizes := []int{4, 9}
		own := f.tracks(cells, sizes)
		w.drawCells(f, law, own, sizes)
		w.tabulate("T", own...)
		lines = append(lines, told(t, &w.result)...)
	}
	evidence.AsRecorded(t, "testdata/generalization.txt", lines)
}

// What studies are in full and in their quick size, before anything is measured.
func TestDesignsAreAsRecorded(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var lines []string
	for _, s := range All() {
		for _, o := range []Options{{}, {Quick: true}, {Trials: 3}} {
			o.Workers = 1
			w := &work{Options: o, ctx: ctx, result: Result{Name: s.Name, Trials: o.Trials}}
			err := w.do(s.run)
			lines = append(lines, fmt.Sprintf("%s: %d and %d trials, ended by %v, %d pieces: %s %.6x", s.Name, w.result.Trials, s.Size(o), err, w.total.Load(), w.result.Design, sha256.Sum256([]byte(w.result.Spec))))
		}
	}
	for _, quick := range []bool{false, true} {
		w := &work{Options: Options{Quick: quick}, result: Result{Name: "test"}}
		lines = append(lines, fmt.Sprint(w.memories(), w.slowed("vanilla", 0.7, 0.1).Spec.Iterations, w.coupled("vanilla", 0.5).Spec.Iterations))
	}
	within, better, worse, off := Claim{Verdict: Within}, Claim{Verdict: Better}, Claim{Verdict: Worse}, Claim{Verdict: Off}
	for _, list := range [][]Claim{{within, within}, {better}, {within, better, better}, {worse, within}, {off, better, worse}} {
		lines = append(lines, fmt.Sprint(headline(list), (&Result{Claims: list}).Holds()))
	}
	for _, trials := range []int{-1, 0, 1, 2, MaxTrials, MaxTrials + 1} {
		lines = append(lines, fmt.Sprint(Options{Trials: trials}.Check()))
	}
	_, err := Find("none")
	lines = append(lines, fmt.Sprint(err), fmt.Sprint(rows.Quantile(nil, 0.5), rows.Quantile([]float64{1, 2, 4}, 0.25), rows.Quantile([]float64{3}, 1), deviation([]float64{7}), deviation([]float64{1, 3})))
	evidence.AsRecorded(t, "testdata/designs.txt", lines)
}

// Whoever does not react stays, and with the same weights settles at the same place: neither is against the theorem, whatever the side.
func TestWhoStaysBreaksNoTheorem(t *testing.T) {
	s := stream.New(4, "stay")
	for range 50 {
		x := randomTriple(s)
		if x.sigma = 0; x.violations(0) != [3]int{} {
			t.Errorf("%+v: %v", x, x.violations(0))
		}
	}
}

// Of no individuals the largest error is 0, and of some it is that of the first of the stream whose reactions are not too near to breaking up, and of nobody after them.
func TestAnswersOfSoManyAreCompared(t *testing.T) {
	for n := range 5 {
		w := small(t, "steering")
		w.compareAnswers(n)
		s, most := w.stream("answers"), 0.0
		for left := n; left > 0; {
			if x := randomTriple(s); x.lambda+float64(x.sigma*rows.Dot(x.u, x.u)) < 0.9 {
				most = max(most, x.answerError(s))
				left--
			}
		}
		if got := w.result.Claims[0]; got.Measured != most || got.Low != most || got.High != most || (most > 0) != (n > 0) {
			t.Errorf("%d individuals: %+v, want %v", n, got, most)
		}
	}
}
