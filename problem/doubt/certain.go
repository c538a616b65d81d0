package doubt

import "fmt"

// CertainError says that a key asks for draws of numbers where these are taken for true, or for another rule than there is.
type CertainError struct {
	Key, Value string
	Why        string // what is done instead
	Want       string
}

func (e *CertainError) Error() string {
	return fmt.Sprintf("%s is %s, but %s; want %s", e.Key, e.Value, e.Why, e.Want)
}

// Certain is a *CertainError where draws are used, for those who take the numbers of a spec for true and say why.
func (d *Doubt) Certain(why string) error {
	if d.Uncertain == 0 {
		return nil
	}
	want := "uncertain 0 (--set uncertain=0)"
	if d.Decide != "" {
		want = "uncertain 0 and no decide (--set uncertain=0 --set decide=null)"
	}
	return &CertainError{"uncertain", fmt.Sprint(d.Uncertain), why, want + ", or kedge run, which decides over draws"}
}

// ByMean is a *CertainError where something else than the mean makes a decision best, for those who know the mean alone and say why.
func (d *Doubt) ByMean(why string) error {
	if d.Decide == "" || d.Decide == "mean" {
		return nil
	}
	return &CertainError{"decide", d.Decide, why, "mean (--set decide=mean)"}
}
