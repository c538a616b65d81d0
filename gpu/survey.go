package gpu

import (
	"fmt"

	"github.com/kedge-opt/kedge/device"
)

// Surveyed is what is known of a GPU once it has been tried.
type Surveyed struct {
	device.Info
	Copied  float64 `json:"copied"`  // GB a second that a copy within its memory reads and writes
	Largest int     `json:"largest"` // people of 20 numbers that it holds, in double precision
	Trouble string  `json:"trouble,omitempty"`
}

// Lines say it in words.
func (s *Surveyed) Lines() []string {
	if s.Trouble != "" {
		return []string{fmt.Sprintf("gpu:%d %s: %s", s.Number, s.Name, s.Trouble)}
	}
	return []string{
		fmt.Sprintf("gpu:%d %s, compute capability %s, driver for %s", s.Number, s.Name, s.Capability, s.Driver),
		fmt.Sprintf("  memory %.1f GB, %.1f GB free; copies %.0f GB/s", float64(s.Bytes)/1e9, float64(s.Free)/1e9, s.Copied),
		fmt.Sprintf("  holds %.0f million people of 20 numbers, or %.0f million in single precision", float64(s.Largest)/1e6, 2*float64(s.Largest)/1e6),
		"  computes what the CPU computes, bit for bit",
	}
}

// Survey opens and tests all GPUs of a driver, that of the machine where it is nil. Where there are none the error is a *device.AbsentError.
func Survey(by device.Driver) (list []Surveyed, err error) {
	all, err := device.List(by)
	if err == nil && len(all) == 0 {
		err = &device.AbsentError{Reason: "the driver knows no GPU", Remedy: "look at nvidia-smi, or run with --device cpu"}
	}
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		s := Surveyed{Info: one}
		if err := s.try(by); err != nil {
			s.Trouble = err.Error()
		}
		list = append(list, s)
	}
	return list, nil
}

func (s *Surveyed) try(by device.Driver) error {
	p, err := OpenBy(by, s.Number)
	if err != nil {
		return err
	}
	defer p.Close()
	s.Info = p.Info()
	s.Largest = s.Free / (3 * 8 * 20)
	bytes := min(1<<30, s.Free/4)
	from, err := p.dev.Alloc(bytes)
	if err != nil {
		return err
	}
	defer p.dev.Free(from)
	to, err := p.dev.Alloc(bytes)
	if err != nil {
		return err
	}
	defer p.dev.Free(to)
	copied, err := p.lap(5, func() error { return p.dev.Copy(to, from, bytes) })
	if err != nil {
		return err
	}
	s.Copied = 2 * float64(bytes) / copied.Best / 1e9
	return nil
}
