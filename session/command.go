package session

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Command is something that somebody wants of a loop. All of it is checked before anything happens.
type Command interface{ do(l *Loop) (any, error) }

// Create begins a loop, in the shadow unless it says live. The same again changes nothing.
type Create struct {
	Spec   string            `json:"spec"`
	Mode   Mode              `json:"mode,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Epoch  string            `json:"-"` // a random word
	ofOld  bool              // it is decided again as it was before there were guards
}

func (c Create) do(l *Loop) (any, error) {
	if l.seq > 0 {
		if c.Spec != l.spec {
			return nil, refuse(NameTaken, "loop %s has another spec", l.name)
		}
		return l.Status(), nil
	}
	if c.Mode = cmp.Or(c.Mode, Shadow); c.Mode != Shadow && c.Mode != Live {
		return nil, refuse(WrongMode, "a loop begins in shadow or live, not %s", c.Mode)
	}
	plan, err := l.make(c.Spec)
	if err != nil {
		return nil, err
	}
	if err := admit(plan, c.Mode == Live); err != nil {
		return nil, err
	}
	l.drafted = plan
	return l.noted(l.emit(Created, 0, "", creation{Spec: c.Spec, Mode: c.Mode, Labels: c.Labels, Epoch: c.Epoch, Revision: 1, Build: &l.own, Guards: guardsOf(c.ofOld)}, nil))
}

// Ask wants the decision to deploy. Until it comes to something the answer is the same.
type Ask struct{}

// Offer is the decision to deploy.
type Offer struct {
	Loop     string     `json:"loop"`
	Epoch    string     `json:"epoch"`
	K        int        `json:"k"`
	U        []float64  `json:"u"`
	Iterate  []float64  `json:"iterate"`
	Trust    *float64   `json:"trust,omitempty"`
	Prices   []float64  `json:"multipliers,omitempty"`
	Basis    Basis      `json:"basis"`
	Reasons  []string   `json:"reasons"`
	State    Stage      `json:"state"`
	DeployBy *time.Time `json:"deploy_by,omitempty"`
	Live     *alive     `json:"live,omitempty"`
	Pending  int        `json:"pending,omitempty"` // the decision that waits for approval
	Revision int        `json:"revision"`
	Safe     []float64  `json:"safe,omitempty"`    // for whoever loses the service for too long
	Durable  *bool      `json:"durable,omitempty"` // false: from memory, while the journal cannot be reached
}

func (Ask) do(l *Loop) (any, error) {
	if err := l.present(); err != nil {
		return nil, err
	}
	if !l.current.current() {
		if err := l.open(); err != nil {
			return nil, err
		}
	}
	d := l.current
	a := Offer{Loop: l.name, Epoch: l.epoch, K: d.K, U: d.U, Iterate: d.Iterate, Trust: d.Trust, Prices: d.Prices, Basis: d.Basis, Reasons: d.Reasons, State: d.State, DeployBy: d.DeployBy, Live: l.live, Revision: l.revision, Safe: l.plan.Live.Safe}
	if d.State == IsProposed {
		a.Basis, a.U, a.Pending = Hold, l.standing(), d.K
		a.Reasons = append(slices.Clone(d.Reasons), fmt.Sprintf("decision %d waits for approval", d.K))
	}
	if a.Reasons == nil {
		a.Reasons = []string{}
	}
	return a, nil
}

// present refuses commands to a loop that has ended.
func (l *Loop) present() error {
	switch {
	case l.seq == 0:
		return refuse(NotFound, "there is no loop %s", l.name)
	case l.mode == Ended:
		return refuse(IsArchived, "loop %s is archived", l.name)
	}
	return nil
}

// of finds the decision a message is about.
func (l *Loop) of(k int, epoch string) (d *Decision, err error) {
	if err := l.present(); err != nil {
		return nil, err
	}
	if epoch != "" && epoch != l.epoch {
		return nil, refuse(StaleEpoch, "the loop is in epoch %s; ask again", l.epoch)
	}
	if k < 1 || k > l.k {
		return nil, refuse(NotFound, "there is no decision %d; the newest is %d", k, l.k)
	}
	if l.current != nil && l.current.K == k {
		return l.current, nil
	}
	return l.bygone(k)
}

// state refuses with the state of a decision.
func (d *Decision) refuse(kind, format string, args ...any) error {
	return &Refusal{Type: kind, Detail: fmt.Sprintf(format, args...), State: string(d.State)}
}

// Deploy says that a decision went live, and as what.
type Deploy struct {
	K       int        `json:"-"`
	Epoch   string     `json:"epoch,omitempty"`
	U       []float64  `json:"u"`
	At      *time.Time `json:"deployed_at,omitempty"` // now, if it is not said
	Correct bool       `json:"correct,omitempty"`     // take this instead of what was said before
}

// Reached is how a decision stands after a message about it.
type Reached struct {
	K     int   `json:"k"`
	State Stage `json:"state"`
	*Deployment
	Late   bool `json:"late,omitempty"`
	Repeat bool `json:"-"` // it was said before, and nothing happened
}

func (c Deploy) do(l *Loop) (any, error) {
	d, err := l.of(c.K, c.Epoch)
	if err != nil {
		return nil, err
	}
	if len(c.U) != l.plan.Dims.Decision {
		return nil, refuse(DimensionMismatch, "u has %d numbers, want %d", len(c.U), l.plan.Dims.Decision)
	}
	if err := kedge.CheckFinite("u", c.U); err != nil {
		return nil, &Refusal{Type: NotFinite, Detail: err.Error(), Errors: []Fault{{"/u", err.Error()}}}
	}
	at := l.now
	if c.At != nil {
		at = Later(*c.At, time.Time{})
	}
	if at.After(l.now.Add(time.Minute)) {
		return nil, refuse(OutsideRange, "deployed_at is %s, which has not come yet", at.Format(time.RFC3339))
	}
	if was := d.Deployed; was != nil {
		same := slices.Equal(was.U, c.U) && (c.At == nil || was.At.Equal(at))
		switch {
		case same:
			return Reached{K: d.K, State: d.State, Deployment: was, Late: !d.current(), Repeat: true}, nil
		case !c.Correct:
			return nil, d.refuse(DeploymentConflict, "decision %d was deployed as %v; say correct if that was wrong", d.K, was.U)
		case d.State != IsDeployed:
			return nil, d.refuse(DeploymentConflict, "decision %d is %s, so what was deployed can no longer be corrected", d.K, d.State)
		}
	}
	if at.Before(d.OpenedAt) && c.At != nil {
		at = d.OpenedAt
	}
	tried := (d.Basis == Step || d.Basis == Again) && slices.Equal(c.U, d.U) // and not what is live and infeasible, offered once more
	p := Deployment{U: slices.Clone(c.U), At: at, Off: rows.Distance(c.U, d.U), Feasible: tried || l.plan.Feasible(c.U), MeasureAfter: at.Add(l.plan.Live.Settle), DataBy: after(at, l.plan.Live.Data)}
	if math.IsInf(p.Off, 1) {
		return nil, refuse(OutsideRange, "u is farther from what was decided than numbers go")
	}
	happened := Deployed
	switch {
	case d.State == IsDeployed:
		happened = Corrected
	case d.State != IsOpen:
		happened = DeployedLate
	}
	if err := l.emit(happened, d.K, "", p, nil); err != nil {
		return nil, err
	}
	if happened == DeployedLate {
		words := fmt.Sprintf("decision %d was deployed when it was %s", d.K, d.State)
		if d.State == IsProposed {
			words = fmt.Sprintf("decision %d was deployed without approval", d.K)
		}
		if err := l.raise(0, "deployed-late", words); err != nil {
			return nil, err
		}
		if l.current.current() && l.current.State != IsDeployed {
			if err := l.supersede(fmt.Sprintf("decision %d went live meanwhile", d.K)); err != nil {
				return nil, err
			}
		}
		return Reached{K: d.K, State: d.State, Deployment: &p, Late: true}, nil
	}
	if !p.Feasible {
		if err := l.raise(0, "infeasible", fmt.Sprintf("what is live since decision %d %s", d.K, l.breaks(c.U))); err != nil {
			return nil, err
		}
	} else if err := l.clear("infeasible"); err != nil {
		return nil, err
	}
	return Reached{K: d.K, State: IsDeployed, Deployment: l.current.Deployed}, nil
}

// Tell hands in people who answered.
type Tell struct {
	K     int
	Epoch string
	ID    string // made by who collects them; the same again changes nothing
	Batch Batch

	frame   []byte // the batch as it is written, where that is known; nil: it is not
	content Hash   // of the frame
}

// Received says what became of a batch.
type Received struct {
	Receipt
	Have  int  `json:"have"` // rows of the decision that count
	Least int  `json:"least"`
	Used  bool `json:"used"` // false: too late, or seen before people had the time to answer

	Repeat bool `json:"-"` // it was told before, and nothing happened
}

func (c Tell) do(l *Loop) (any, error) {
	d, err := l.of(c.K, c.Epoch)
	if err != nil {
		return nil, err
	}
	if !isBatchID(c.ID) {
		return nil, refuse(Malformed, "a batch is called by 1 to 128 letters, digits, dots, hyphens and underscores")
	}
	observed := l.now // which is no part of the content: it is told again later
	if !c.Batch.ObservedAt.IsZero() {
		observed = Later(c.Batch.ObservedAt, time.Time{})
		c.Batch.ObservedAt = observed
	}
	n, wrong := c.Batch.Check(l.plan.Dims, l.plan.Live)
	if wrong != nil {
		return nil, &Refusal{Type: wrong.Kind, Detail: wrong.Detail + "; nothing was stored", Errors: []Fault{{wrong.Pointer, wrong.Detail}}}
	}
	if c.frame == nil {
		if c.frame, err = c.Batch.Encode(); err != nil {
			return nil, err
		}
		c.content = sha256.Sum256(c.frame)
	}
	r := Receipt{ID: c.ID, Rows: n, WithoutTrait: c.Batch.WithoutTrait(l.plan.Dims), ObservedAt: observed, Content: c.content}
	r.Late = d.State != IsOpen && d.State != IsDeployed
	if i, ok := d.receipt(c.ID); ok {
		if d.Batches[i].Content != r.Content {
			return nil, d.refuse(BatchConflict, "batch %s of decision %d was told with other content", c.ID, d.K)
		}
		return Received{d.Batches[i], d.Answered(), l.plan.Live.Least, d.counts(&d.Batches[i]), true}, nil
	}
	if len(d.Batches) >= MostBatches || d.rows()+n > MostOfAllRows {
		return nil, refuse(TooLarge, "decision %d has %d batches of %d rows; at most %d of %d", d.K, len(d.Batches), d.rows(), MostBatches, MostOfAllRows)
	}
	have, used, happened := d.Answered(), d.counts(&r), Told
	if used {
		have += n
	}
	if r.Late {
		happened = ToldLate
	}
	if err := l.emit(happened, d.K, "b/"+c.ID, r, c.frame); err != nil {
		return nil, err
	}
	if !r.Late {
		l.remember(r.Content, &c.Batch)
	}
	return Received{r, have, l.plan.Live.Least, used, false}, nil
}

func isBatchID(id string) bool {
	return len(id) >= 1 && len(id) <= 128 && strings.Trim(strings.ToLower(id), "abcdefghijklmnopqrstuvwxyz0123456789.-_") == ""
}

// Close is the moment at which a decision is learned from.
type Close struct {
	K      int    `json:"-"`
	Epoch  string `json:"epoch,omitempty"`
	Expect struct {
		Batches []string `json:"batches,omitempty"` // that must be there
		Rows    int      `json:"rows,omitempty"`
	} `json:"expect,omitzero"`
}

// Closing is what a close came to.
type Closing struct {
	K int `json:"k"`
	*Outcome
}

func (c Close) do(l *Loop) (any, error) {
	d, err := l.of(c.K, c.Epoch)
	if err != nil {
		return nil, err
	}
	switch d.State {
	case IsClosed:
		return Closing{d.K, d.Outcome}, nil
	case IsOpen:
		return nil, d.refuse(NotDeployed, "decision %d is not deployed, or nobody said so", d.K)
	case IsDeployed:
	default:
		return nil, d.refuse(NotOpen, "decision %d is %s", d.K, d.State)
	}
	for _, id := range c.Expect.Batches {
		if _, ok := d.receipt(id); !ok {
			return nil, d.refuse(Incomplete, "batch %s is not there yet", id)
		}
	}
	if have := d.rows(); have < c.Expect.Rows {
		return nil, d.refuse(Incomplete, "%d of %d rows are there", have, c.Expect.Rows)
	}
	o, report, err := l.learn(d)
	if err != nil {
		return nil, err
	}
	if err := l.react(d, report); err != nil {
		return nil, err
	}
	if err := l.clear("data-overdue"); err != nil {
		return nil, err
	}
	return Closing{d.K, o}, nil
}

// Abandon gives a decision up without learning from it.
type Abandon struct {
	K      int    `json:"-"`
	Epoch  string `json:"epoch,omitempty"`
	Reason string `json:"reason"`
}

func (c Abandon) do(l *Loop) (any, error) {
	return l.end(c.K, c.Epoch, Abandoned, c.Reason, IsAbandoned, IsProposed, IsOpen, IsDeployed)
}

// end brings a decision to an end from one of some states.
func (l *Loop) end(k int, epoch string, happens Kind, reason string, then Stage, from ...Stage) (any, error) {
	d, err := l.of(k, epoch)
	if err != nil {
		return nil, err
	}
	if d.State != then {
		if !slices.Contains(from, d.State) {
			return nil, d.refuse(NotOpen, "decision %d is %s", d.K, d.State)
		}
		b := because{Reason: reason}
		if happens == Approved {
			b.DeployBy = after(l.now, l.plan.Live.Deploy)
		}
		if err := l.emit(happens, d.K, "", b, nil); err != nil {
			return nil, err
		}
	}
	return Reached{K: d.K, State: then}, nil
}
