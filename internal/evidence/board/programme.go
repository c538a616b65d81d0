package board

import "slices"

// Clause is a promise or a test of the programme.
type Clause struct {
	ID, Words string
	Gate      bool   // of a test: it is among those that every change passes first
	Else      string // of a test that needs no row: what there is instead
	Twin      string // of a test that plants a fault by itself, each time: which
}

// Promises are what kedge promises.
func Promises() []Clause {
	return []Clause{
		{ID: "P1", Words: "durable: what was acknowledged survives crashes and power cuts"},
		{ID: "P2", Words: "exactly once: what is sent again counts once and is answered alike"},
		{ID: "P3", Words: "replayable: a state follows from version, spec, seed and log"},
		{ID: "P4", Words: "bit-identical: the same bits on any number of workers and after any resume"},
		{ID: "P5", Words: "all or nothing: bad input and stops change nothing by half"},
		{ID: "P6", Words: "never silently wrong: what is damaged or not reached is told"},
		{ID: "P7", Words: "bounded: memory, time and lengths have limits"},
		{ID: "P8", Words: "isolated: a key neither sees, changes nor starves what is another's"},
		{ID: "P9", Words: "quiet: no connection that nobody asked for"},
		{ID: "P10", Words: "recoverable: what is called a good backup has been restored"},
	}
}

// Tests are the tests of the programme.
func Tests() []Clause {
	return slices.Concat(testsOfTheStore(), testsOfRounds(), testsOfInput())
}

func testsOfTheStore() []Clause {
	return []Clause{
		{ID: "T01", Words: "kill -9 loses nothing", Gate: true},
		{ID: "T02", Words: "power cuts lose nothing", Gate: true, Twin: "synchronous NORMAL"},
		{ID: "T03", Words: "the same of PostgreSQL, whose disk loses its power", Twin: "synchronous_commit off"},
		{ID: "T04", Words: "what was not answered may be sent again"},
		{ID: "T05", Words: "a stop before any step"},
		{ID: "T06", Words: "a full disk", Gate: true},
		{ID: "T07", Words: "syncs that fail"},
		{ID: "T08", Words: "bits that turn and ends that are lost"},
		{ID: "T09", Words: "backups are restored"},
		{ID: "T10", Words: "upgrades, and newer data", Gate: true},
		{ID: "T11", Words: "checkpoints are whole"},
		{ID: "T12", Words: "stopping in order"},
	}
}

func testsOfRounds() []Clause {
	return []Clause{
		{ID: "T13", Words: "an order exists in which all answers are right"},
		{ID: "T14", Words: "repeats and other orders", Gate: true},
		{ID: "T15", Words: "leases of workers that die", Gate: true},
		{ID: "T16", Words: "clocks that jump", Gate: true},
		{ID: "T17", Words: "data races", Else: "the race detector of .ci/run, on every package that starts goroutines"},
		{ID: "T18", Words: "leaks of goroutines, descriptors and handles", Gate: true},
		{ID: "T19", Words: "memory over a million tells"},
		{ID: "T20", Words: "simulated histories", Gate: true, Twin: "ten bugs of the simulated disk"},
		{ID: "T21", Words: "pauses"},
		{ID: "T22", Words: "the same bits on any number of workers", Gate: true},
		{ID: "T23", Words: "the same bits after a resume"},
		{ID: "T24", Words: "the same bits on all targets", Gate: true},
		{ID: "T25", Words: "random streams do not move each other", Gate: true},
		{ID: "T26", Words: "sweeps in any order, in parts, killed"},
		{ID: "T27", Words: "logs replay", Gate: true},
	}
}

func testsOfInput() []Clause {
	return []Clause{
		{ID: "T28", Words: "hostile specs", Gate: true},
		{ID: "T29", Words: "hostile formulas"},
		{ID: "T30", Words: "hostile arrays", Else: "the fuzz targets of internal/npy"},
		{ID: "T31", Words: "random calls of the service"},
		{ID: "T32", Words: "hostile numbers", Gate: true},
		{ID: "T33", Words: "hostile files"},
		{ID: "T34", Words: "slow clients"},
		{ID: "T35", Words: "messages that are too long or too deep", Gate: true},
		{ID: "T36", Words: "load, and how long answers take", Else: "the figures of docs/PERFORMANCE.md, which are short of their bar"},
		{ID: "T37", Words: "more load than can be served"},
		{ID: "T38", Words: "rights of keys", Gate: true},
		{ID: "T39", Words: "secrets stay secret", Gate: true},
		{ID: "T40", Words: "pages of other sites, and the dashboard's own", Gate: true},
		{ID: "T41", Words: "nobody is called", Gate: true},
		{ID: "T42", Words: "fair shares"},
		{ID: "T43", Words: "few rights on the machine"},
		{ID: "T44", Words: "modules: licences, versions, bytes", Gate: true},
		{ID: "T45", Words: "workers and a queue that lose, repeat and reorder"},
		{ID: "T46", Words: "settings of the database that lose data", Gate: true},
	}
}
