package conform

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/stream"
)

func TestDynamicsAcceptsARightOne(t *testing.T) { Dynamics(t, newToy(), toyCases()) }

func TestDynamicsOfOneAbility(t *testing.T) {
	Dynamics(t, struct{ kedge.Dynamics }{newToy()}, toyCases())
}

func TestDynamicsWantsCasesThatFit(t *testing.T) {
	c := toyCases()
	draw := c.Draw
	c.Draw = func(r *stream.Stream) (p, u, d []float64) { p, u, d = draw(r); return p, u[:2], d }
	catch(t, nil, []twin{{"short decisions", "dynamics", func(t testing.TB) { Dynamics(t, newToy(), c) }}})
}

func TestDynamicsCatchesBrokenOnes(t *testing.T) {
	var twins []twin
	add := func(name, caught string, breakIt func(f *toy)) {
		twins = append(twins, twin{name, caught, func(t testing.TB) {
			f := newToy()
			breakIt(&f)
			Dynamics(t, f, fewCases())
		}})
	}
	breakNext(add)
	breakNextRows(add)
	breakPullback(add)
	breakSettle(add)
	breakSettleRows(add)
	catch(t, checkNames(dynamicsChecks(newToy())), twins)
}

type adder func(name, caught string, breakIt func(f *toy))

func breakNext(add adder) {
	add("NaN", "Next is finite", func(f *toy) {
		f.next = func(dst, p, u, d []float64) { toyNext(dst, p, u, d); dst[1] = math.NaN() }
	})
	add("inputs changed", "Next keeps its inputs", func(f *toy) {
		f.next = func(dst, p, u, d []float64) { toyNext(dst, p, u, d); u[0]++ }
	})
	add("destination read", "Next overwrites its destination", func(f *toy) {
		f.next = func(dst, p, u, d []float64) { old := dst[0]; toyNext(dst, p, u, d); dst[0] += old }
	})
	add("short destination", "Next refuses wrong lengths", func(f *toy) {
		f.next = func(dst, p, u, d []float64) {
			out := make([]float64, 2)
			toyNext(out, p, u, d)
			copy(dst, out)
		}
	})
	add("short input", "Next refuses wrong lengths", func(f *toy) {
		f.next = func(dst, p, u, d []float64) {
			must(len(dst) == 2)
			toyNext(dst, append(slices.Clone(p), 0, 0)[:2], u, d)
		}
	})
	add("restless", "Next may be called in parallel", func(f *toy) {
		noise := restless()
		f.next = func(dst, p, u, d []float64) { toyNext(dst, p, u, d); dst[0] += noise() }
	})
}

func breakNextRows(add adder) {
	right := newToy().nextRows
	add("NaN rows", "NextRows is finite", func(f *toy) {
		f.nextRows = func(dst, p, u, d []float64) { right(dst, p, u, d); dst[5] = math.Inf(1) }
	})
	add("rows changed", "NextRows keeps its inputs", func(f *toy) {
		f.nextRows = func(dst, p, u, d []float64) { right(dst, p, u, d); copy(p, dst) }
	})
	add("row destination read", "NextRows overwrites its destination", func(f *toy) {
		f.nextRows = func(dst, p, u, d []float64) { old := dst[4]; right(dst, p, u, d); dst[4] = max(dst[4], old) }
	})
	add("broken row", "NextRows refuses wrong lengths", func(f *toy) {
		f.nextRows = func(dst, p, u, d []float64) { right(dst[:len(p)], p, u, d) }
	})
	add("restless rows", "NextRows may be called in parallel", func(f *toy) {
		noise := restless()
		f.nextRows = func(dst, p, u, d []float64) { right(dst, p, u, d); dst[0] = noise() }
	})
	add("first row for all", "NextRows agrees with Next", func(f *toy) {
		f.nextRows = func(dst, p, u, d []float64) { right(dst, p, u, d); copy(dst[2:], dst[:2]) }
	})
}

func breakPullback(add adder) {
	change := func(name, caught string, after func(gp, gu, v []float64)) {
		add(name, caught, func(f *toy) {
			f.pullback = func(gp, gu, p, u, d, v []float64) { toyPullback(gp, gu, p, u, d, v); after(gp, gu, v) }
		})
	}
	for _, g := range []string{"p", "u"} {
		pick := func(gp, gu []float64) []float64 { return map[string][]float64{"p": gp, "u": gu}[g] }
		name := "Pullback to " + g
		onto := func(write func(x, v []float64)) func(gp, gu, v []float64) {
			return func(gp, gu, v []float64) {
				if x := pick(gp, gu); x != nil {
					write(x, v)
				}
			}
		}
		noise := restless()
		change("NaN "+g, name+" is finite", onto(func(x, _ []float64) { x[0] = math.NaN() }))
		change("v changed "+g, name+" keeps its inputs", onto(func(_, v []float64) { v[0] = 0 }))
		change("overwritten "+g, name+" adds to its destination", onto(func(x, _ []float64) { x[0] = 1 }))
		change("restless "+g, name+" may be called in parallel", onto(func(x, _ []float64) { x[0] += noise() }))
		change("square "+g, name+" is linear in v", onto(func(x, v []float64) { x[0] += v[0] * v[0] }))
		add("short "+g, name+" refuses wrong lengths", func(f *toy) {
			f.pullback = func(gp, gu, p, u, d, v []float64) {
				if x := pick(gp, gu); x != nil {
					full := [3]float64{}
					copy(x, full[:])
				}
			}
		})
	}
	change("alone otherwise", "Pullback skips nil", func(gp, gu, _ []float64) {
		if gp != nil && gu == nil {
			gp[0]++
		}
	})
	change("wrong factor", "Pullback is the derivative", func(gp, _, v []float64) {
		if gp != nil {
			gp[1] += 1e-5 * v[1]
		}
	})
}

func breakSettle(add adder) {
	change := func(name, caught string, after func(dst, u, d []float64, res *kedge.Residual) error) {
		add(name, caught, func(f *toy) {
			f.settle = func(dst, u, d []float64) (kedge.Residual, error) {
				res, err := toySettle(dst, u, d)
				return res, errors.Join(err, after(dst, u, d, &res))
			}
		})
	}
	breakSettler("Settle", change)
	add("short settle", "Settle refuses wrong lengths", func(f *toy) {
		f.settle = func(dst, u, d []float64) (kedge.Residual, error) {
			h := make([]float64, 2)
			res, err := toySettle(h, u, d)
			copy(dst, h)
			return res, err
		}
	})
	add("NaN accepted", "Settle refuses NaN", func(f *toy) {
		f.settle = func(dst, u, d []float64) (kedge.Residual, error) {
			if math.IsNaN(u[1]) {
				return kedge.Residual{}, nil
			}
			return toySettle(dst, u, d)
		}
	})
	add("error after a change", "Settle refuses NaN", func(f *toy) {
		f.settle = func(dst, u, d []float64) (kedge.Residual, error) {
			must(len(dst) == 2)
			clear(dst)
			return toySettle(dst, u, d)
		}
	})
}

// breakSettler breaks what Settle and SettleRows promise alike.
func breakSettler(name string, change func(name, caught string, after func(dst, u, d []float64, res *kedge.Residual) error)) {
	noise := restless()
	change(name+" NaN", name+" is finite", func(dst, _, _ []float64, _ *kedge.Residual) error { dst[0] = math.NaN(); return nil })
	change(name+" fails", name+" is finite", func(_, _, _ []float64, _ *kedge.Residual) error { return errors.New("no") })
	change(name+" trait changed", name+" keeps its inputs", func(_, _, d []float64, _ *kedge.Residual) error { d[0]++; return nil })
	change(name+" restless", name+" may be called in parallel", func(dst, _, _ []float64, _ *kedge.Residual) error { dst[0] += noise(); return nil })
	change(name+" destination read", name+" overwrites its destination", func(dst, _, _ []float64, _ *kedge.Residual) error {
		dst[0] += noise()
		return nil
	})
	change(name+" boasts", name+" tells its residual", func(dst, _, _ []float64, _ *kedge.Residual) error { dst[0] += 1e-9; return nil })
}

func breakSettleRows(add adder) {
	right := newToy().settleRs
	change := func(name, caught string, after func(dst, u, d []float64, res *kedge.Residual) error) {
		add(name, caught, func(f *toy) {
			f.settleRs = func(dst, u, d []float64) (kedge.Residual, error) {
				res, err := right(dst, u, d)
				return res, errors.Join(err, after(dst, u, d, &res))
			}
		})
	}
	breakSettler("SettleRows", change)
	change("last row lost", "SettleRows agrees with Settle", func(dst, _, _ []float64, _ *kedge.Residual) error { clear(dst[4:]); return nil })
	add("long block", "SettleRows refuses wrong lengths", func(f *toy) {
		f.settleRs = func(dst, u, d []float64) (kedge.Residual, error) { return right(dst[:len(d)], u, d) }
	})
	add("rows before NaN", "SettleRows refuses NaN", func(f *toy) {
		f.settleRs = func(dst, u, d []float64) (kedge.Residual, error) { clear(dst); return right(dst, u, d) }
	})
}
