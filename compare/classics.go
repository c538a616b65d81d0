package compare

// Classic is what is known of a problem beforehand.
type Classic struct {
	Name  string
	About string // the problem in one line

	Flat      bool // the loss is not strongly convex in the decision, so that retraining has no rule to converge by
	Nonlinear bool // the crowd's mean is not affine in the decision
	Singular  bool // states have no regular covariance
}

// outside says which condition of a method the problem does not meet, "" where it meets all or nothing is known of it.
func (c Classic) outside(kind string) string {
	switch {
	case c.Flat && (kind == "lazy" || kind == "repeated-risk" || kind == "delayed-risk"):
		return "the loss is not strongly convex"
	case c.Nonlinear && kind == "plug-in":
		return "the crowd's mean is not affine in the decision"
	case c.Singular && kind == "reinforce":
		return "states have no covariance"
	}
	return ""
}
