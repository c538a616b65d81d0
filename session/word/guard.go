package word

import (
	"fmt"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/session/guard"
)

// guards are the cards of what is watched. Reasons are why the newest close took no step.
func (c Condition) guards() (list []Card) {
	w := c.Guarded
	if w == nil {
		return nil
	}
	list = append(list, c.people(w))
	if why := reason(c.Held, guard.Others); why != "" {
		list = append(list, Card{"mix", Hold, "Holding: " + why + ".", "Compare who answered with who should. If the crowd has changed for good, revise the spec: the mix is then taken anew."})
	}
	for _, r := range w.Rails {
		list = append(list, railCard(r))
	}
	if w.Ratio != nil {
		list = append(list, c.trust(w.Ratio))
	}
	return list
}

// reason is the one that begins with some words.
func reason(list []string, with string) string {
	for _, why := range list {
		if strings.Contains(why, with) {
			return why
		}
	}
	return ""
}

func (c Condition) people(w *guard.Verdicts) Card {
	card := Card{"people", Fine, fmt.Sprintf("All %d people of decision %d count.", w.Counted, w.K), ""}
	if w.Outside == 0 {
		return card
	}
	card.Words = fmt.Sprintf("%d of %d people do not count%s.", w.Outside, w.Counted+w.Outside, c.first(w.First))
	card.Do = "Look at them in the decision's quarantine."
	if why := reason(c.Held, " of answers are "); why != "" {
		card.State, card.Words = Hold, fmt.Sprintf("Holding: %s, %d of %d people%s.", why, w.Outside, w.Counted+w.Outside, c.first(w.First))
		card.Do = "Look at them in the decision's quarantine: is a unit or a sensor wrong? If people have changed, the loop goes on by itself after some closes."
	}
	return card
}

// acting is what a guardrail that acts says.
func acting(r guard.Judged) string {
	if r.Acts == live.Hold {
		return "Holding: " + r.Words + "."
	}
	return Upper(r.Words) + "."
}

// first says why the first of those does not count who do not.
func (c Condition) first(s *guard.Suspect) string {
	if s == nil {
		return ""
	}
	what := fmt.Sprintf(": first row %d, whose %s[%d] is %s, ", s.Row, s.What, s.Entry, phrase.Brief(s.Value))
	if s.Off == 0 {
		return what + "outside what live.outliers allows"
	}
	return what + fmt.Sprintf("%s deviations from the median of the last closes, where %s are allowed", phrase.Brief(s.Off), phrase.Brief(c.Terms.Beyond))
}

func railCard(r guard.Judged) Card {
	card := Card{"guardrail " + r.Name, Fine, Upper(r.Words) + ".", ""}
	switch {
	case r.Acts == live.Warn && r.Kind == live.Swing:
		card.State, card.Do = Alarm, "Halve the step of the algorithm, and revise the spec."
	case r.Acts == live.Warn:
		card.State, card.Do = Alarm, "Look at what it watches; it only warns, and steps go on."
	case r.Acts != "":
		card.Words = acting(r)
		card.State, card.Do = Hold, "Find out why. A hold ends by itself when a close passes; after a rollback or a kill, kedge loop resume."
	case r.Verdict == guard.Fail:
		card.State, card.Do = Hold, "Find out why. Unless it only warns, no step is taken while it fails."
	case r.Verdict == guard.Inconclusive && r.Kind == live.External && r.Value == nil:
		card.State, card.Do = Wait, fmt.Sprintf("Tell it before the close: kedge tell LOOP K --metric %s=VALUE. Without it no step is taken.", r.Name)
	case r.Verdict == guard.Inconclusive:
		card.State, card.Do = Wait, "Ask more people. Unless it only warns, no step is taken until it is certain."
	}
	return card
}

func (c Condition) trust(q *guard.AnswerRatio) Card {
	size := "How much people answer is not known yet: decisions hardly differed, or too few closes were seen"
	if q.Ratio != nil {
		size = fmt.Sprintf("People answer %s (%s … %s) of what the model says", phrase.Brief(*q.Ratio), phrase.Brief(*q.Low), phrase.Brief(*q.High))
	}
	card := Card{"model", Fine, fmt.Sprintf("%s; %d of %d closes of this window.", size, q.Turns, c.Terms.TrustWindow), ""}
	switch q.Verdict {
	case guard.Trusted:
		card.Words = "The model is trusted. " + card.Words
	case guard.Distrusted:
		card.State, card.Words = Hold, "The model is not trusted. "+card.Words
		card.Do = "Fit the model to what people do and revise the spec; pause and resume lets the loop try again as it is."
		if c.Terms.TrustOtherwise != live.Hold {
			card.State = Alarm
		}
	}
	return card
}
