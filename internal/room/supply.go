package room

// Supply is how much there is of something, and what says so. Fewer than 0 bytes: nobody knows.
type Supply struct {
	Bytes int64
	Of    string
}

// Known tells whether there is a bound.
func (b Supply) Known() bool { return b.Bytes >= 0 }

func unknown() Supply { return Supply{Bytes: -1} }

// least is the smaller bound of those that are known.
func least(all ...Supply) Supply {
	out := unknown()
	for _, b := range all {
		if b.Known() && (!out.Known() || b.Bytes < out.Bytes) {
			out = b
		}
	}
	return out
}
