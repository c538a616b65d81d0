package server_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// wandering are people of a round, who differ from those of any other.
func wandering(r *rand.Rand, u []float64) (a answers, mean [2]float64) {
	for range 5 {
		d := [2]float64{10 + r.NormFloat64(), 8 + r.NormFloat64()}
		p := [2]float64{d[0] - u[0], d[1] - u[1]}
		a.P, a.D = append(a.P, p), append(a.D, d)
		mean[0], mean[1] = mean[0]+p[0]/5, mean[1]+p[1]/5
	}
	return a, mean
}

// In the shadow of a foreign decision the loop answers what is live, and what it would have done is one step from what was deployed, by hand: people
// settle at d − u, so that the slope of −p·u along u is −p + u, and the step is 0.05 of it. Promoted, it proposes within the cap of what is live.
func TestShadowOfAForeignDecision(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-shadow", Text: "1,000 rounds in the shadow of a foreign decision: proposals that are not one step from what was deployed, asks that answer anything but what is live, or a proposal beyond the cap once it is promoted", Short: "60 rounds"})
	rounds := 60
	if evidence.Whole() {
		rounds = 1000
	}
	s := newSite(t)
	s.createOf("shop", "shadow", guardedShop(", trust: {window: 0}, outliers: {beyond: .inf}"))
	at, r := "/v1/loops/shop", rand.New(rand.NewPCG(21, 1))
	offer := s.want(200, "POST", at+"/exchange", `{"k":0,"ask":true}`)["next"].(map[string]any)
	var live []float64
	for k := 1; k <= rounds; k++ {
		if live != nil {
			row.Case(offer["basis"] == "baseline" && slices.Equal(numbersOf(offer["u"]), live), "round %d answers %v, and %v is live", k, offer, live)
		}
		live = []float64{15 + math.Sin(float64(k)), 1 + 0.1*float64(k%5)}
		people, mean := wandering(r, live)
		batch, _ := json.Marshal(people)
		reply := s.want(200, "POST", at+"/exchange", fmt.Sprintf(`{"k":%d,"deployment":{"u":[%v,%v]},"batch_id":"am","batch":%s,"close":{},"ask":true}`, k, live[0], live[1], batch))
		closed := reply["closed"].(map[string]any)
		would := numbersOf(closed["iterate"])
		off := 0.0
		for i := range live {
			off = max(off, math.Abs(would[i]-max(0, live[i]+0.05*(mean[i]-live[i]))))
		}
		row.Case(closed["outcome"] == "step" && off < 1e-12, "round %d at %v: would have been %v, off by %g", k, live, would, off)
		offer = reply["next"].(map[string]any)
	}
	s.want(200, "POST", at+"/promote", `{"reason":"seen enough"}`)
	a := s.want(200, "POST", at+"/ask", "")
	u := numbersOf(a["u"])
	if far := math.Hypot(u[0]-live[0], u[1]-live[1]); far > 0.5*(1+1e-9) || far == 0 {
		row.Case(false, "promoted it proposes %v, %g from %v", u, far, live)
	}
}

// Where decisions want approval an ask answers nothing that nobody approved, whatever happens; and what was rejected is not proposed again.
func TestNothingUnapprovedIsAnswered(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-approval", Text: "1,000 decisions that want approval, approved, rejected, abandoned, overdue, lapsed or deployed unasked by chance: asks that answer what was neither approved nor live, or proposals of what was rejected", Short: "60 decisions"})
	decisions := 60
	if evidence.Whole() {
		decisions = 1000
	}
	s := newScriptOf(t, guardedShop(", approval: always, trust: {window: 0}, outliers: {beyond: .inf}, deadlines: {approve: 2h}"))
	r := rand.New(rand.NewPCG(21, 2))
	live, rejected := []float64{4, 4}, map[string]bool{} // which is safe, until somebody says what is live
	for range decisions {
		a := s.want(200, "POST", s.loop+"/ask", "")
		row.Case(a["state"] == "proposed" && a["basis"] == "hold" && slices.Equal(numbersOf(a["u"]), live), "asked: %v, live is %v", a, live)
		k := int(a["pending"].(float64))
		decision := fmt.Sprintf("%s/decisions/%d", s.loop, k)
		u := numbersOf(s.want(200, "GET", decision, "")["u"])
		same := slices.Equal(u, live)
		row.Case(same || !rejected[fmt.Sprint(u)], "decision %d proposes %v, which was rejected", k, u)
		switch n := r.IntN(10); {
		case n == 0 && !same:
			s.want(200, "POST", decision+"/reject", `{"reason":"no"}`)
			rejected[fmt.Sprint(u)] = true
			continue
		case n == 1 && !same:
			s.clock.move(3 * time.Hour) // nobody approves it
			rejected[fmt.Sprint(u)] = true
			continue
		case n == 2:
			s.want(200, "POST", decision+"/abandon", `{"reason":"no"}`)
			continue
		case n == 3: // deployed though nobody approved it
			live = []float64{live[0] + 0.01, live[1]}
			s.want(202, "PUT", decision+"/deployment", fmt.Sprintf(`{"u":[%v,%v]}`, live[0], live[1]))
			continue
		}
		s.want(200, "POST", decision+"/approve", `{"reason":"yes"}`)
		a = s.want(200, "POST", s.loop+"/ask", "")
		row.Case(a["state"] == "open" && slices.Equal(numbersOf(a["u"]), u), "approved %v, asked %v", u, a)
		if r.IntN(10) == 0 {
			s.clock.move(25 * time.Hour) // it lapses
			continue
		}
		live = u
		s.want(201, "PUT", decision+"/deployment", fmt.Sprintf(`{"u":[%v,%v]}`, live[0], live[1]))
		people, _ := wandering(r, live)
		batch, _ := json.Marshal(people)
		s.want(201, "PUT", decision+"/batches/am", string(batch))
		s.clock.move(time.Minute)
		s.is(s.want(200, "POST", decision+"/close", ""), "outcome", "step")
	}
}
