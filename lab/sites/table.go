package sites

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"fairbridge/replica/paired"
)

// cell is a figure over several windows, or over sites: of ratios the geometric mean, of others the mean.
type cell struct {
	value, standardError float64 // NaN: no window has it; the error is that of one value more or less
}

// figureSet is what is compared.
func figureSet() *paired.Set {
	s := paired.NewSet(GPUsPerNode, nil)
	s.AddTails()
	return s
}

// newCell sums up values, of which NaN are left out.
func newCell(values []float64, areRatios bool) cell {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || areRatios && !(v > 0) })
	n := float64(len(values))
	if n == 0 {
		return cell{math.NaN(), math.NaN()}
	}
	sum, squares := 0.0, 0.0
	for _, v := range values {
		if areRatios {
			v = math.Log(v)
		}
		sum, squares = sum+v, squares+v*v
	}
	mean := sum / n
	deviation := math.Sqrt(max(squares/n-mean*mean, 0) / max(n-1, 1))
	if areRatios {
		return cell{math.Exp(mean), math.Exp(mean) * deviation}
	}
	return cell{mean, deviation}
}

// compare sets the row's runs beside those of the site's baseline.
func (r *SiteResult) compare(set *paired.Set, row Row) paired.Comparison {
	return set.Compare(row.Label(), r.RunsByRow[row], r.RunsByRow[r.Baseline()])
}

// cellsOf are the row's figures on a site, over the site's baseline.
func (r *SiteResult) cellsOf(set *paired.Set, row Row) []cell {
	c := r.compare(set, row)
	cells := make([]cell, len(set.Figures))
	for i, f := range set.Figures {
		cells[i] = newCell(c.ShownValues(i, f), f.IsRatio)
	}
	return cells
}

// overSites are the row's figures over the sites.
func overSites(set *paired.Set, all []*SiteResult, row Row) []cell {
	values := make([][]float64, len(set.Figures))
	for _, r := range all {
		for i, c := range r.cellsOf(set, row) {
			values[i] = append(values[i], c.value)
		}
	}
	over := make([]cell, len(set.Figures))
	for i, f := range set.Figures {
		over[i] = newCell(values[i], f.IsRatio)
	}
	return over
}

// losersOf says who is worse off under the row than under the site's baseline by more than 5 %.
func (r *SiteResult) losersOf(set *paired.Set, row Row) string {
	c := r.compare(set, row)
	return cmp.Or(set.DescribeLosers(&c), "none")
}

// allSites names the rows over all sites in the list of figures.
const allSites = "all"

// WriteFigures writes every figure of every row, for each site and over all sites, as lines of site, row, figure, value
// and standard error: ratios to the better Slurm alone as geometric means over windows, and of these over sites.
func WriteFigures(to io.Writer, all []*SiteResult, rows []Row) error {
	set := figureSet()
	text := &strings.Builder{}
	text.WriteString("site\trow\tfigure\tvalue\tstandard_error\n")
	write := func(site string, row Row, cells []cell) {
		for i, f := range set.Figures {
			if !math.IsNaN(cells[i].value) {
				fmt.Fprintf(text, "%s\t%s\t%s\t%.3g\t%.2g\n", site, row.Label(), f.Key, cells[i].value, cells[i].standardError)
			}
		}
	}
	for _, row := range rows {
		for _, r := range all {
			write(r.Name, row, r.cellsOf(set, row))
		}
		write(allSites, row, overSites(set, all, row))
	}
	_, err := io.WriteString(to, text.String())
	return err
}

// WriteLosers writes, for each row and site, who is worse off than under the better Slurm alone by more than 5 %.
func WriteLosers(to io.Writer, all []*SiteResult, rows []Row) error {
	set := figureSet()
	text := &strings.Builder{}
	for _, row := range rows {
		for _, r := range all {
			fmt.Fprintf(text, "%s\t%s\t%s\n", r.Name, row.Label(), r.losersOf(set, row))
		}
	}
	_, err := io.WriteString(to, text.String())
	return err
}
