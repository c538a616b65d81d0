package logs

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// Under a draw of the numbers the constant of everybody is the mean of what the draw leaves of their rows: s' − habit·s − price·lp − taste·inc.
// Somebody who comes later is not among the people of a date before.
func TestPastPeople(t *testing.T) {
	const people, weeks, turn = 5, 12, 6
	log := linearLog(people, weeks, 0)
	e, err := fitted(t, strings.Replace(linearSpec, "EFFECTS", "person", 1), log+"late,10,4,1,0,0\nlate,11,4.1,1.2,0.1,0\n", Options{})
	if err != nil {
		t.Fatal(err)
	}
	e.Redraw(30)
	past := e.Past(turn)
	if len(past.Draws) != 30 || len(past.Log.People) != people || past.Log.Rows() != people*(turn+1) || !e.TraitsFollow() {
		t.Fatalf("%d draws, people %v, %d rows", len(past.Draws), past.Log.People, past.Log.Rows())
	}
	for k, theta := range past.Draws[:3] {
		var want []float64
		for i := range people {
			sum, last, inc := 0.0, 0.0, 0.0
			for _, line := range strings.Split(log, "\n")[1 : 1+people*weeks] {
				var who, week int
				var lp, s, income, tax float64
				if _, err := fmt.Sscanf(strings.ReplaceAll(line, ",", " "), "%d %d %g %g %g %g", &who, &week, &lp, &s, &income, &tax); err != nil {
					t.Fatal(err)
				}
				if who != i {
					continue
				}
				if week > 0 {
					sum += s - theta[0]*last - theta[1]*lp - theta[2]*income
				}
				if last = s; week == turn {
					inc = income
				}
			}
			want = append(want, sum/(weeks-1), inc)
		}
		got := past.TraitsUnder(k)
		for i := range want {
			if len(got) != len(want) || math.Abs(got[i]-want[i]) > 1e-9 {
				t.Fatalf("draw %d: %v, by hand %v", k, got, want)
			}
		}
	}
}

// The trait of somebody takes the room of its entries: what the model declares is worked out once, not for every row.
func TestTraitsOfRowsTakeLittle(t *testing.T) {
	e, err := fitted(t, strings.Replace(linearSpec, "EFFECTS", "person", 1), linearLog(5, 12, 0), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { e.TraitOf(7) }); n > 4 || len(e.TraitOf(7)) != 2 {
		t.Errorf("%v allocations for %v", n, e.TraitOf(7))
	}
}
