package problem

import (
	"context"
	"errors"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/game"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

// Player is one of several decision-makers.
type Player struct {
	Name      string
	Size      int // entries of the decision that are its own, after those of the players before
	Objective kind.Objective
	Set       kind.Set // of its entries
}

func (s *Spec) describePlayer(f *form.Form, p *Player) {
	form.Field(f, "name", &p.Name, form.Label(), form.Says("The label in results; no other player has it.", "", "left"))
	form.Field(f, "size", &p.Size, form.Count(1, maxCount), form.Says("How many entries of the decision are its own, after those of the players before.", "u = (u₁, u₂, …)", "1"))
	s.needObjective(f, "objective", "a formula, or a mapping with a kind", form.Says("Its loss, of the whole decision: a formula, or the keys of an objective.", "Φⱼ(p, u, d)", "0.5*u[0]^2 - u[0]*p"), &p.Objective)
	f.NeedSection("set", "a mapping with a kind", form.Says("Where its part of the decision may be, with the keys of a set.", "uⱼ ∈ 𝒞ⱼ", ""), func(f *form.Form) { s.kinds().DescribeSet(f, &p.Set) })
}

// describePlayers reads players, who take the place of objective and set, or those.
func (s *Spec) describePlayers(f *form.Form) {
	if !f.Decide("players", len(s.Players) > 0) {
		f.Know("players")
		s.needObjective(f, "objective", "a formula, a mapping with a kind, or players", form.Says("What decisions are judged by, once the crowd has settled: a formula, which is a loss, or a mapping with a kind.", "Φ̃(u) = mean of Φ(h(u, d), u) over the crowd, h = f(h, u, d)", ""), &s.Objective)
		f.NeedSection("set", "a mapping with a kind", form.Says("Which decisions are feasible.", "u ∈ 𝒞", ""), s.describeSet)
		return
	}
	for _, key := range []string{"objective", "set"} {
		f.Refuse(key, key+" and players are both given; players have objectives and sets of their own, so one must go")
	}
	s.describePlayerList(f)
}

func (s *Spec) describePlayerList(f *form.Form) {
	form.Field(f, "players", &s.Players, form.Parts("a list of players", s.describePlayer), form.Says("Several decision-makers, each with a part of the decision, an objective and a set of its own, in place of objective and set.", "minimize Φ̃ⱼ(u) over uⱼ, every player j by itself", ""))
}

func (c *check) players() {
	if len(c.s.Players) == 0 {
		return
	}
	total, sound, seen := 0, true, map[string]bool{}
	for i := range c.s.Players {
		p, path := &c.s.Players[i], c.pathOf("players", i)
		c.unique(seen, path, p.Name, "player")
		sound = sound && c.Sound(path+".size")
		total += p.Size
		c.objective(path+".objective", p.Objective)
		kind.CheckSet(&c.Scene, path+".set", p.Set, c.Known(p.Size, "the player", path+".size"))
		kind.CheckConvex(&c.Scene, path+".set", p.Set, "the set of a player, whose replies are looked for by small moves,")
	}
	if n := c.Decision(); sound && n.N >= 0 && total != n.N {
		c.Fail(append(form.Paths("players"), n.From...), "players have %s together, %s has %d", form.Entries(total), n.Of, n.N)
	}
	c.FailIf(c.s.Population.moves(), form.Paths("players", "population.drift", "population.churn"),
		"players and people who change by themselves are both given: the equilibrium that players are measured against would have to be found and verified anew at every turn; "+
			"want no drift or churn, or one run for each moment")
	c.FailIf(c.s.Generator == "numpy", form.Paths("players", "generator"), "generator numpy draws what the published runs drew, which had no players")
	for _, a := range c.s.Algorithms {
		play := form.Join("algorithms", a.Name) + ".play"
		c.FailIf(c.s.Dynamics.Coupling > 0 && strings.Contains(a.Play, "response"), form.Paths(play, "dynamics.coupling"),
			"%s is %s, which settles the people of a sample, but with dynamics.coupling where they settle depends on everybody; want simultaneous, alternating or planner", play, a.Play)
	}
}

// shared refuses what players cannot keep together.
func (c *check) shared() {
	for i := range c.s.Constraints {
		path := c.pathOf("constraints", i) + ".kind"
		_, mean := c.s.Constraints[i].Kind.(*kind.ExpectationCriterion)
		_, group := c.s.Constraints[i].Kind.(*kind.WorstGroupCriterion)
		c.FailIf(c.s.Constraints[i].Kind != nil && !mean && !group, form.Paths(path, "players"),
			"%s is %s, but players can share bounds on means alone: an equilibrium is where gradients balance, and tails and shares have kinks or are smoothed, so that none could be verified; want expectation or worst-group",
			path, form.NameOf(c.s.Constraints[i].Kind))
	}
	for _, a := range c.s.Algorithms {
		play := form.Join("algorithms", a.Name) + ".play"
		c.FailIf(len(c.s.Constraints) > 0 && a.Heed && a.Play != "simultaneous" && a.Play != "planner" && a.Play != "", form.Paths(play, "constraints"),
			"%s is %s, but the price of a shared constraint moves all players at once, and best responses to a sample know no bound on the crowd; want simultaneous, planner or heed false", play, a.Play)
	}
}

// buildPlayers makes the players' losses together the objective, and their sets together the set.
func (p *Problem) buildPlayers() error {
	if len(p.Spec.Players) == 0 {
		return nil
	}
	var all objective.Sum
	joint := &kind.ProductSet{}
	for i, from := range p.Spec.Players {
		loss, err := p.Spec.buildObjective(p.Spec.entry("players", i)+".objective", from.Objective, p.files)
		if err != nil {
			return err
		}
		all = append(all, loss)
		p.players = append(p.players, game.Player{Name: from.Name, Size: from.Size, Objective: loss})
		joint.Parts = append(joint.Parts, kind.SetPart{Size: from.Size, Set: from.Set})
	}
	p.Objective, p.set, p.Maximize = all, joint, false
	return nil
}

// Game returns the players as judged by the settled population, nil when there are none.
func (p *Problem) Game() (*game.SettledGame, error) {
	if len(p.players) == 0 {
		return nil, nil
	}
	return game.NewSettled(p.Spec.Dims(), p.players, p.Set, func(o kedge.Objective) (*steady.Objective, error) {
		m := p.Model
		m.Objective = o
		return steady.New(m)
	})
}

// play makes the estimator of a game; e is that of a planner who minimizes the sum of all losses. A nil sensitivity takes the
// population for given.
func (p *Problem) play(from *kind.Algorithm, e online.Estimator, h kedge.Sensitivity) (online.Estimator, error) {
	dim := p.Spec.Dims()
	order := game.Simultaneous
	if from.Play == "alternating" || from.Play == "alternating-response" {
		order = game.Alternating
	}
	switch from.Play {
	case "simultaneous", "alternating":
		return game.NewPlay(dim, p.players, h, order)
	case "best-response", "alternating-response":
		sets := lists.Of(p.Set.(set.Product).Parts, func(part set.Part) kedge.Set { return part.Set })
		foresight := game.Foresight{}
		if h != nil {
			foresight = game.Foresight{Settler: p.RowSettler(), Sensitivity: p.Sensitivity}
		}
		return game.NewBestResponse(dim, p.players, sets, foresight, order, respond)
	}
	return e, nil
}

// respond finds a best response.
func respond(f game.Function, s kedge.Set, start []float64) ([]float64, error) {
	found, err := optimum.Minimize(context.Background(), f, s, start, optimum.Effort{})
	if missing := (*kedge.NotConvergedError)(nil); errors.As(err, &missing) {
		all, err := optimum.Find(context.Background(), f, s, [][]float64{start}, optimum.Effort{Starts: 5}) // where the loss jumps
		if err != nil {
			return nil, err
		}
		return all.Decision, nil
	}
	if err != nil {
		return nil, err
	}
	return found.Decision, nil
}
