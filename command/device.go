package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/gpu"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/spf13/cobra"
)

// deviceFlag is --device: auto, cpu, gpu or gpu:N.
type deviceFlag string

func (f *deviceFlag) offer(c *cobra.Command) {
	c.Flags().StringVar((*string)(f), "device", "auto", "where the crowd is kept and moved: auto, cpu, gpu or gpu:N; results do not depend on it")
	completeWords(c, "device", []string{"auto", "cpu", "gpu"})
}

// worthwhile is how many entries of states a crowd has that auto brings to a GPU.
const worthwhile = 1 << 20

// number is that of the GPU that is asked for, -1 for none.
func (f deviceFlag) number() (int, error) {
	switch name, number, named := strings.Cut(string(f), ":"); {
	case f == "cpu" || f == "": // of a command without the flag
		return -1, nil
	case f == "auto" || f == "gpu":
		return 0, nil
	case name == "gpu" && named:
		if n, err := strconv.Atoi(number); err == nil && n >= 0 {
			return n, nil
		}
	}
	return -1, fmt.Errorf("--device %s: want auto, cpu, gpu or the number of a GPU, as gpu:1; kedge devices lists them", string(f))
}

// open opens the GPU that is asked for, before anybody is drawn; auto goes without where there is none or the crowd is small or has no room there.
func (f deviceFlag) open(s *problem.Spec, say *notes) (d lab.OnDevice, err error) {
	number, err := f.number()
	if err != nil || number < 0 {
		return d, err
	}
	d.Demand = f != "auto"
	people := s.Population
	if !d.Demand && people.Size*s.Dims().State < worthwhile {
		return d, nil
	}
	place, err := gpu.Open(number)
	var absent *device.AbsentError
	if err == nil {
		if err = place.HasRoom(people.Size, s.Dims(), people.Storage, people.Traits == "regenerated"); err != nil {
			place.Close()
		}
	}
	switch {
	case err == nil:
		place.Say = say.add
		d.Board = place
	case d.Demand:
		return d, fmt.Errorf("--device %s: %w", string(f), err)
	case !errors.As(err, &absent):
		say.add(fmt.Sprintf("everything runs on the CPU: %v", err))
	}
	return d, nil
}

func newDevices() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "devices",
		Short: "List the GPUs that crowds can be kept on",
		Long: `List the NVIDIA GPUs that kedge run --device gpu can use: their names, their memory and what of it is free, what the driver knows, how
fast they copy within their memory, and how many people of 20 numbers they hold. Every one is tested: it must compute what the CPU computes, bit for bit.

Exit codes: 0 there are some, 64 there are none, and why.`,
		Example: `  kedge devices
  kedge devices --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := gpu.Survey()
			switch {
			case err != nil:
				return err
			case asJSON:
				return folder.WriteJSON(c.OutOrStdout(), list)
			}
			for _, one := range list {
				if err := say(c.OutOrStdout(), one.Lines()...); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
