package lab

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/gpu"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/steady"
)

// OnDevice is a GPU that crowds are kept on where it can move them. The zero value is none. Results do not depend on it.
type OnDevice struct {
	Board  *gpu.Board
	Demand bool // a crowd that it cannot move is an error; else that moves on the CPU
}

// worthwhile is how many entries of states a crowd has that auto brings to a GPU.
const worthwhile = 1 << 20

// DeviceNumber is that of the GPU that a name asks for: auto, cpu, gpu or gpu:N. It is -1 for none.
func DeviceNumber(of string) (int, error) {
	switch name, number, named := strings.Cut(of, ":"); {
	case of == "cpu" || of == "": // of a command that has no choice
		return -1, nil
	case of == "auto" || of == "gpu":
		return 0, nil
	case name == "gpu" && named:
		if n, err := strconv.Atoi(number); err == nil && n >= 0 {
			return n, nil
		}
	}
	return -1, fmt.Errorf("--device %s: want auto, cpu, gpu or the number of a GPU, as gpu:1; kedge devices lists them", of)
}

// OpenDevice opens the GPU that a name asks for, before anybody is drawn. Auto goes without where there is none, where the crowd is small, and where it has no room there.
func OpenDevice(of string, s *problem.Spec, say func(line string)) (d OnDevice, err error) {
	return OpenDeviceBy(nil, of, s, say)
}

// OpenDeviceBy opens a GPU of a driver, that of the machine where it is nil.
func OpenDeviceBy(by device.Driver, of string, s *problem.Spec, say func(line string)) (d OnDevice, err error) {
	number, err := DeviceNumber(of)
	if err != nil || number < 0 {
		return d, err
	}
	people := s.Population
	if d.Demand = of != "auto"; !d.Demand && people.Size*s.Dims().State < worthwhile {
		return d, nil
	}
	place, err := gpu.OpenBy(by, number)
	if err == nil {
		if err = place.HasRoom(people.Size, s.Dims(), people.Storage, people.Traits == "regenerated"); err != nil {
			place.Close()
		}
	}
	var absent *device.AbsentError
	switch {
	case err == nil:
		place.Say = say
		d.Board = place
	case d.Demand:
		return d, fmt.Errorf("--device %s: %w", of, err)
	case !errors.As(err, &absent):
		say(fmt.Sprintf("everything runs on the CPU: %v", err))
	}
	return d, nil
}

// Close gives the GPU back, if there is one.
func (d OnDevice) Close() {
	if d.Board != nil {
		d.Board.Close()
	}
}

// used names the device that moved people.
func (d OnDevice) used() string {
	if d.Board == nil || !d.Board.Used() {
		return "cpu"
	}
	return fmt.Sprintf("gpu:%d %s", d.Board.Info().Number, d.Board.Info().Name)
}

// elsewhere gathers crowds on the device, if there is one.
func (r *run) elsewhere() problem.Elsewhere {
	if r.Device.Board == nil {
		return nil
	}
	return func(c population.Config) (problem.Populace, error) {
		if r.Device.Board.IsLost() {
			return nil, nil
		}
		crowd, err := r.gather(c)
		if err == nil {
			return crowd, nil
		}
		if !r.Device.Board.IsLost() && r.Device.Demand {
			return nil, fmt.Errorf("--device gpu: %w; leave --device out, or say --device cpu", err)
		}
		return nil, nil
	}
}

func (r *run) gather(c population.Config) (*gpu.RemoteCrowd, error) {
	switch {
	case r.problem.MeasureItems():
		return nil, &gpu.UnfitError{Why: "distances of everybody's state (record.w1)"}
	case r.problem.Spec.Record.Theory:
		return nil, &gpu.UnfitError{Why: "what the theory says of everybody's state (record.theory)"}
	}
	return r.Device.Board.Gather(c, max(1, r.Workers/int(max(1, r.open.Load()))))
}

// jury lets everybody be judged on the device until the run leaves it, if there is one that can; the search for the optimum and the stable point then does so there.
func (r *run) jury(f *steady.Objective) {
	if r.Device.Board == nil || r.problem.Moves() {
		return
	}
	if j, err := r.Device.Board.Jury(r.problem.Model, r.Workers); err == nil {
		f.Engine, r.leave = j, j.Leave
	}
}

// judgeThere lets a meter judge people where they are.
func (a *attempt) judgeThere(m *loop.Meter) {
	if crowd, ok := a.trial.People.(*gpu.RemoteCrowd); ok {
		if e := crowd.Engine(a.run.problem.Model); e != nil {
			m.Steady.Engine = e
		}
	}
	if a.trial.Population != nil {
		m.Steady.Crowd = a.trial.Population.Foresight(a.run.problem.Model)
	}
}

// leave gives what the trial holds on a device back.
func (a *attempt) leave() {
	if a.trial == nil {
		return
	}
	if crowd, ok := a.trial.People.(*gpu.RemoteCrowd); ok {
		crowd.Leave()
	}
}

// Unfit tells whether an error says that a device does not do what is asked.
func Unfit(err error) bool {
	var unfit *gpu.UnfitError
	return errors.As(err, &unfit)
}
