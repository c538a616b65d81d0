package kedge

import "context"

// Column says what a measured number is, once for files, figures, charts and pages.
type Column struct {
	Name  string // as in series.csv
	Unit  string `json:",omitempty"` // empty for a pure number
	Label string // words for an axis

	// Columns of one chart are drawn on pages as one, the greatest of them; without a chart a page does not draw a column.
	Chart   string `json:",omitempty"` // names the chart in addresses
	Title   string `json:",omitempty"` // above the chart
	Symbols string `json:",omitempty"` // beside its axis
	Meaning string `json:",omitempty"` // a sentence

	Better   Direction `json:",omitempty"`
	Scale    Scale     `json:",omitempty"`
	Relative bool      `json:",omitempty"` // a share of something, which is written in per cent
	Bound    string    `json:",omitempty"` // the column that bounds it from above, drawn beside it
}

// Axis is the words for an axis with the unit.
func (c Column) Axis() string { return withUnit(c.Label, c.Unit) }

// ChartAxis is the symbols beside the axis of a chart with the unit.
func (c Column) ChartAxis() string { return withUnit(c.Symbols, c.Unit) }

func withUnit(words, unit string) string {
	if unit == "" {
		return words
	}
	return words + ", in " + unit
}

// Direction says which numbers of a column are the better ones.
type Direction int

// The directions.
const (
	Neither Direction = iota
	Smaller
	Larger
)

// String is a sentence for pages, empty for Neither.
func (d Direction) String() string {
	return map[Direction]string{Smaller: "Smaller is better.", Larger: "Larger is better."}[d]
}

// Scale is the axis that shows a column best.
type Scale int

// The scales.
const (
	Linear Scale = iota
	Logarithmic
)

// Turn is what an instrument sees: the start of turn K, with the decision about to be deployed and the population before it
// answers. A run of T turns has starts 0 … T; the last shows what remains after the last turn. The slices are valid only
// during a call.
type Turn struct {
	K         int
	Last      bool      // nothing is deployed any more
	U         []float64 // the decision (an Explorer's center)
	States    []float64 // of everybody; nil when the population does not show them, or when all instruments are Sightless
	Algorithm Algorithm
}

// Instrument measures turns: it declares its columns and fills them.
type Instrument interface {
	Columns() []Column
	// Measure fills the row, one number a column; NaN marks what cannot be said of the turn.
	Measure(ctx context.Context, row []float64, t *Turn) error
}

// Sightless is an Instrument that can tell that it does not look at States. Then nobody has to bring them.
type Sightless interface {
	Instrument
	Sightless() bool
}

// Forerunner is an Instrument that must see the start of the turn before a recorded one too.
type Forerunner interface {
	Instrument
	// Forerun sees a turn that is not recorded but whose successor is.
	Forerun(ctx context.Context, t *Turn) error
}

// Onlooker is an Instrument that sees what every turn shows the algorithm, recorded or not.
type Onlooker interface {
	Instrument
	// Look takes the observation of a turn, whose slices are valid only during the call.
	Look(o Observation) error
}

// Step is a recorded turn: its number, the decision (an Explorer's center) and what the instruments say, a number a column.
// The slices are valid only during Record.
type Step struct {
	K   int
	U   []float64
	Row []float64
}

// Recorder receives the measured steps of a loop.
type Recorder interface {
	Record(s *Step) error
}
