package problem

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"path"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
)

// drawRows draws one vector of dim entries for every individual, kept as the spec says.
func (s *Spec) drawRows(path string, law population.Law, dim int, r *stream.Stream) (kedge.Rows, error) {
	drawn, err := population.Redraw(law, s.Population.Size, dim, r)
	if err != nil {
		return nil, s.wrap(path, err)
	}
	given, width := law, dim
	if both, ok := law.(population.Beside); ok {
		given, width = both.Law, both.Dim
	}
	if table, ok := given.(population.Table); ok {
		if err := s.checkRows(path, table.Data, width); err != nil {
			return nil, err
		}
	}
	switch {
	case s.Population.Traits == "regenerated":
		return drawn, nil
	case s.Population.Storage == "float32":
		return s.shorten(path, drawn)
	}
	block, err := population.Draw(law, s.Population.Size, dim, r)
	return kedge.Block{Data: block, Width: dim}, s.wrap(path, err)
}

// shorten keeps rows in single precision.
func (s *Spec) shorten(path string, r kedge.Rows) (kedge.Rows, error) {
	short, err := population.Shorten(r, s.mend())
	return short, s.wrap(path, err)
}

// mend returns what makes rounded vectors what the dynamics demand again, nil for dynamics that demand nothing.
func (s *Spec) mend() func(x []float64) {
	if s.Dynamics.Kind == "polarized" {
		return toSphere(s.Dims().State)
	}
	return nil
}

func (s *Spec) buildLaw(path string, l *Law, dim int, files fs.FS) (population.Law, error) {
	switch l.Kind {
	case "sphere":
		return population.Sphere{}, nil
	case "cap":
		return population.Cap{Angle: l.Angle, Axis: l.Axis}, nil
	case "bimodal":
		return population.Bimodal{Angle: l.Angle, Axis: l.Axis, Share: l.Share}, nil
	case "dirichlet":
		return population.Dirichlet{Concentration: l.Concentration.Expand(dim)}, nil
	case "normal":
		return population.Normal{Mean: l.Mean.Expand(dim), Deviation: l.Deviation.Expand(dim)}, nil
	case "proportions":
		return population.Proportions{}, nil
	case "values":
		return population.Table{Width: l.Values.Columns(), Data: l.Values.Flat()}, nil
	default:
		table, err := readTable(files, l.File, l.Array)
		if err != nil {
			return nil, s.errorf(path+".file", "%s: %v", l.File, err)
		}
		return table, nil
	}
}

// openFile is a file that can be read from anywhere.
type openFile interface {
	io.ReadSeeker
	io.ReaderAt
}

// readTable reads a file of individuals, by its ending.
func readTable(files fs.FS, name, array string) (population.Table, error) {
	file, err := files.Open(name)
	if err != nil {
		return population.Table{}, err
	}
	defer file.Close()
	r, ok := file.(openFile)
	if !ok {
		all, err := io.ReadAll(file)
		if err != nil {
			return population.Table{}, err
		}
		r = bytes.NewReader(all)
	}
	size, err := r.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	if err != nil {
		return population.Table{}, err
	}
	switch path.Ext(name) {
	case ".csv":
		return population.ReadCSV(r)
	case ".npy":
		return population.ReadNPY(r)
	case ".parquet":
		rows, width, err := columns.ReadMatrix(r, size, intake.Limits{})
		return population.Table{Data: rows, Width: width}, err
	case ".npz":
		return population.ReadNPZ(r, size, array)
	}
	return population.Table{}, errors.New("want a file that ends in .csv, .npy, .npz or .parquet")
}

// checkRows tells whether individuals read from a file are what the dynamics move: unit vectors or proportions. Laws and
// listed values were checked when the spec was read.
func (s *Spec) checkRows(path string, block []float64, dim int) error {
	for i := range kedge.Count(block, dim) {
		row := kedge.Row(block, i, dim)
		switch s.Dynamics.Kind {
		case "polarized":
			if norm := rows.Norm(row); math.Abs(norm-1) > rounding {
				return s.errorf(path, "individual %d has length %v, polarized dynamics want 1", i, norm)
			}
		case "choice":
			if sum := rows.Sum(row); math.Abs(sum-1) > rounding || smallest(row) < 0 {
				return s.errorf(path, "individual %d has sum %v and least entry %v, choice dynamics want proportions", i, sum, smallest(row))
			}
		}
	}
	return nil
}

func smallest(x []float64) float64 {
	least := math.Inf(1)
	for _, v := range x {
		least = min(least, v)
	}
	return least
}

// drawPublished draws what the published programs drew, in their order from their one generator: the first decision, the
// population, four axes to plot (polarized), then every trial of every algorithm.
func (p *Problem) drawPublished() error {
	s, dim := p.Spec, p.Spec.Dims()
	if s.Seed > math.MaxUint32 {
		return s.errorf("seed", "seed is %d, the generator numpy wants at most %d", s.Seed, uint32(math.MaxUint32))
	}
	g := stream.NewNumPy(uint32(s.Seed))
	p.Start = make([]float64, dim.Decision)
	p.publishedStart(p.Start, g)
	traits := make([]float64, s.Population.Size*dim.Trait)
	err := s.publishedPopulation(traits, dim.Trait, g)
	if err != nil {
		return err
	}
	p.Traits = kedge.Block{Data: traits, Width: dim.Trait}
	if s.Population.Storage == "float32" {
		if p.Traits, err = s.shorten("population", p.Traits); err != nil {
			return err
		}
	}
	p.States = p.Traits
	for i := range s.Algorithms {
		p.numpy = append(p.numpy, s.publishedTrials(&s.Algorithms[i], dim.Decision, g))
	}
	return nil
}

func (p *Problem) publishedStart(u []float64, g *stream.NumPy) {
	if p.Spec.Start.Law == "proportions" {
		sum, _ := kind.Divides(p.set)
		population.PublishedBudget(u, sum, g)
		return
	}
	p.fillStart(u, g)
}

func (s *Spec) publishedPopulation(traits []float64, dim int, g *stream.NumPy) error {
	switch law := &s.Population.Law; {
	case s.Population.States != nil:
		return s.errorf("population.states", "the generator numpy starts everybody at the trait; want same")
	case law.Kind == "proportions" && s.Population.Size == 1:
		population.PublishedProportions(traits, g)
		return nil
	case law.Kind == "cap" && law.Angle == 90 && law.Axis == nil && dim >= 4:
		err := population.PublishedHemisphere(traits, dim, g)
		g.Shuffle(dim, func(int, int) {}) // which four axes to plot; only the numbers drawn matter
		return s.wrap("population", err)
	}
	return s.errorf("population.law", "the generator numpy draws what the published runs drew: a cap of 90 degrees without axis in 4 or more dimensions, or proportions of size 1")
}

// publishedTrials returns where the draws of every trial begin and moves the generator behind them. How much a trial draws
// does not depend on what happens in it, so trials can run side by side.
func (s *Spec) publishedTrials(a *kind.Algorithm, n int, g *stream.NumPy) []*stream.NumPy {
	var begins []*stream.NumPy
	for range a.Trials {
		at := *g
		begins = append(begins, &at)
		for range s.Iterations {
			if a.Facts().Draws {
				for range n {
					g.Normal()
				}
			}
			for range a.Batch {
				g.Intn(s.Population.Size)
			}
		}
	}
	return begins
}
