package command

import (
	"io"

	"github.com/kedge-opt/kedge/internal/cite"
	"github.com/spf13/cobra"
)

func newCite() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "cite",
		Short: "Print how to cite kedge and the paper it implements",
		Long: `Print a reference to this version of kedge and to the paper whose methods and theory it implements, as text and as
BibTeX. With --format only one of them, or the CITATION.cff of the repository.`,
		Example: `  kedge cite
  kedge cite --format bibtex >> references.bib`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			text, err := cite.In(format)
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.OutOrStdout(), text)
			return err
		},
	}
	c.Flags().StringVar(&format, "format", "", "text, bibtex or cff (default text and bibtex)")
	completeWords(c, "format", []string{"text", "bibtex", "cff"})
	return c
}
