package page

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"time"

	"fairbridge/api"
	"fairbridge/api/sharecompare"
)

// nodesBody is the page of nodes.
type nodesBody struct {
	*api.Nodes
	Filter url.Values
	More   template.URL
}

func viewNodes(_ *Handler, r *http.Request, s Source) (any, error) {
	f := r.URL.Query()
	n, err := s.Nodes(r.Context(), api.NodeQuery{Partitions: splitList(f.Get("partition")), Names: splitList(f.Get("node")), Limit: rowsPerPage, After: f.Get("after")})
	if err != nil {
		return nil, err
	}
	return &nodesBody{n, f, nextPage(f, n.Next)}, nil
}

// sharesBody is the page of shares.
type sharesBody struct {
	*api.Shares
	Tree   []branch
	Filter url.Values
	// Compared says whose jobs go first of two accounts, where the filter names two that can be compared; "": it does not.
	Compared string
}

// branch is an account at its depth in the tree; those of the page begin at 0.
type branch struct {
	*api.AccountShare
	Depth int
}

func viewShares(_ *Handler, r *http.Request, s Source) (any, error) {
	shares, err := s.Shares(r.Context())
	if err != nil {
		return nil, err
	}
	f := r.URL.Query()
	tree := newTree(shares.Accounts)
	if wanted := splitList(f.Get("account")); len(wanted) > 0 {
		tree = slices.DeleteFunc(tree, func(b branch) bool { return !slices.Contains(wanted, b.Name) })
	}
	return &sharesBody{shares, tree, f, comparedWords(shares, tree)}, nil
}

// comparedWords compares two accounts, where those are what is shown.
func comparedWords(s *api.Shares, shown []branch) string {
	if len(shown) != 2 || shown[0].AccountUse == nil || shown[1].AccountUse == nil ||
		sharecompare.IsBelow(s.Accounts, shown[0].Name, shown[1].Name) || sharecompare.IsBelow(s.Accounts, shown[1].Name, shown[0].Name) {
		return ""
	}
	return sharecompare.Compare(shown[0].AccountShare, shown[1].AccountShare, time.Duration(s.HalfLife*float64(time.Second))).Words
}

// maxDepth is the deepest that an account stands in; what is below it stands there too.
const maxDepth = 6

// newTree lists accounts below their parents. One whose parent is not listed is a root, and where parents go in a
// circle each is listed once all the same.
func newTree(accounts []api.AccountShare) []branch {
	children, known := map[string][]int{}, map[string]bool{}
	for i := range accounts {
		known[accounts[i].Name] = true
	}
	for i := range accounts {
		parent := accounts[i].Parent
		if !known[parent] {
			parent = ""
		}
		children[parent] = append(children[parent], i)
	}
	var tree []branch
	listed := make([]bool, len(accounts))
	var list func(i, depth int)
	list = func(i, depth int) {
		if listed[i] {
			return
		}
		listed[i] = true
		tree = append(tree, branch{&accounts[i], min(depth, maxDepth)})
		for _, c := range children[accounts[i].Name] {
			list(c, depth+1)
		}
	}
	for _, i := range children[""] {
		list(i, 0)
	}
	for i := range accounts {
		list(i, 0)
	}
	return tree
}
