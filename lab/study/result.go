package study

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// Result is what a study found.
type Result struct {
	Name     string        `json:"name"`
	Title    string        `json:"title"`
	Question string        `json:"question"`
	Theory   string        `json:"theory"`
	Theorems []string      `json:"theorems,omitempty"` // of the paper, by its numbers
	Design   string        `json:"design"`             // the experiment in words
	Quick    bool          `json:"quick"`
	Trials   int           `json:"trials"`
	Seed     uint64        `json:"seed"`
	Headline string        `json:"headline"`
	Reasons  []string      `json:"reasons"`
	Claims   []Claim       `json:"claims"`
	Charts   []Chart       `json:"charts"`
	Spec     string        `json:"spec,omitempty"` // the problem at the first point
	Table    columns.Table `json:"-"`              // what was measured, a row a point
}

// Claim is a number of the theory beside what was measured.
type Claim struct {
	What     string  `json:"what"`
	Measured float64 `json:"measured"`
	Low      float64 `json:"low"` // the interval: sure, or 95 % together with the others of the study
	High     float64 `json:"high"`
	Theory   float64 `json:"theory"`
	Sure     bool    `json:"sure"`
	Exact    bool    `json:"exact"` // the theory gives the number itself, not a bound
	Verdict  Verdict `json:"verdict"`

	within func(share float64) (low, high float64) // the interval that misses with a probability; nil if it is sure
}

// Verdict is how a measurement compares with the theory.
type Verdict string

// The verdicts.
const (
	Within Verdict = "within the interval" // the interval holds the number of the theory
	Better Verdict = "better than the theory"
	Worse  Verdict = "worse than the theory"
	Off    Verdict = "off the theory" // an exact number is missed
)

// judged fills in the verdict. Of a bound smaller is better: exponents are of errors.
func (c Claim) judged() Claim {
	switch {
	case c.Low <= c.Theory && c.Theory <= c.High:
		c.Verdict = Within
	case c.Exact:
		c.Verdict = Off
	case c.High < c.Theory:
		c.Verdict = Better
	default:
		c.Verdict = Worse
	}
	return c
}

// Holds tells whether the theory stands.
func (c Claim) Holds() bool { return c.Verdict == Within || c.Verdict == Better }

// Holds tells whether every claim does.
func (r *Result) Holds() bool {
	return !slices.ContainsFunc(r.Claims, func(c Claim) bool { return !c.Holds() })
}

// Chart is a figure of the study.
type Chart struct {
	Name    string   `json:"name"` // of the file
	Title   string   `json:"title"`
	Caption string   `json:"caption"`
	X       string   `json:"x"` // what the axes show
	Y       string   `json:"y"`
	LogX    bool     `json:"logx"`
	LogY    bool     `json:"logy"`
	Series  []Series `json:"series"`
}

// Series is one line of a chart. A measured one has marks and, with Low and High, a band; of the theory it is dashed.
type Series struct {
	Name   string    `json:"name"`
	X      []float64 `json:"x"`
	Y      []float64 `json:"y"`
	Low    []float64 `json:"low,omitempty"`
	High   []float64 `json:"high,omitempty"`
	Theory bool      `json:"theory,omitempty"`
	Points bool      `json:"points,omitempty"` // marks alone, so that a line of the theory can be seen through them
	Like   string    `json:"like,omitempty"`   // the series whose colour it takes
}

// Encode writes the result, but for its table, as JSON.
func (r *Result) Encode(w io.Writer) error { return folder.WriteJSON(w, r) }

// Decode reads what Encode wrote.
func Decode(from io.Reader) (*Result, error) {
	r := new(Result)
	if err := json.NewDecoder(from).Decode(r); err != nil {
		return nil, fmt.Errorf("read a study: %w", err)
	}
	for _, c := range r.Charts {
		for _, s := range c.Series {
			if err := s.check(); err != nil {
				return nil, fmt.Errorf("read a study: chart %s: %w", c.Name, err)
			}
		}
	}
	return r, nil
}

func (s Series) check() error {
	n := len(s.X)
	if n == 0 || len(s.Y) != n || len(s.Low) != len(s.High) || s.Low != nil && len(s.Low) != n {
		return fmt.Errorf("series %q has lists of %d, %d, %d and %d numbers", s.Name, n, len(s.Y), len(s.Low), len(s.High))
	}
	return nil
}

// claim adds a claim; it is judged in the end, when it is known how many there are.
func (w *work) claim(c Claim) { w.result.Claims = append(w.result.Claims, c) }

// judge gives the claims intervals that all hold together with 95 %, by Bonferroni's inequality, and their verdicts.
func judge(claims []Claim) {
	random := 0
	for _, c := range claims {
		if c.within != nil {
			random++
		}
	}
	for i, c := range claims {
		if c.within != nil {
			c.Low, c.High = c.within(0.05 / float64(random))
		}
		claims[i] = c.judged()
	}
}

// exactly makes a claim one of a number itself, not of a bound.
func (c Claim) exactly() Claim {
	c.Exact = true
	return c
}

// draw adds a figure.
func (w *work) draw(c Chart) { w.result.Charts = append(w.result.Charts, c) }

// finish puts the claims into words, before what else there is to say.
func (w *work) finish() *Result {
	r := &w.result
	judge(r.Claims)
	r.Reasons = append(lists.Of(r.Claims, Claim.words), r.Reasons...)
	r.Headline = headline(r.Claims)
	return r
}

// headline sums the verdicts up.
func headline(claims []Claim) string {
	count := map[Verdict]int{}
	for _, c := range claims {
		count[c.Verdict]++
	}
	bad := count[Worse] + count[Off]
	switch {
	case bad > 0:
		return fmt.Sprintf("The theory is missed by %d of %d measurements.", bad, len(claims))
	case count[Better] == 0:
		return "Every measurement is within its interval of the theory."
	case count[Within] == 0:
		return "Every measurement is better than the theory."
	}
	return fmt.Sprintf("The theory holds: %d of %d measurements within their intervals, %d better.", count[Within], len(claims), count[Better])
}

// words say what was measured and how it compares.
func (c Claim) words() string {
	kind := "a bound of"
	if c.Exact {
		kind = "exactly"
	}
	return fmt.Sprintf("%s: measured %s%s, the theory says %s %s: %s.", c.What, phrase.Shortest(c.Measured), c.Interval(), kind, phrase.Shortest(c.Theory), c.Verdict)
}

// Interval is the interval in words, empty when the measurement is the number itself.
func (c Claim) Interval() string {
	switch {
	case c.Low == c.High:
		return ""
	case c.Sure:
		return fmt.Sprintf(" (between %s and %s)", phrase.Shortest(c.Low), phrase.Shortest(c.High))
	}
	return fmt.Sprintf(" (interval %s … %s)", phrase.Shortest(c.Low), phrase.Shortest(c.High))
}
