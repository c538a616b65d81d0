package emulated

import "testing"

// By hand: one GPU of today, with 256 MiB, and nobody has asked it anything.
func TestAGPUOfToday(t *testing.T) {
	d := New()
	if d.Name != "emulated GPU" || d.Count != 1 || d.Bytes != 268435456 || d.Major != 9 || d.Minor != 0 || d.Version != 12040 || d.Calls() != 0 || d.Taken() != 0 || d.Bent != "" {
		t.Errorf("%s, %d of %d bytes, %d.%d, driver %d; after %d calls %d bytes are taken", d.Name, d.Count, d.Bytes, d.Major, d.Minor, d.Version, d.Calls(), d.Taken())
	}
}
