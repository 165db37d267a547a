package chart

import (
	"embed"
	"html/template"
	"text/template/parse"

	"fairbridge/bridge/printable"
)

//go:embed head.html page.html style.html report_page.html
var templateFiles embed.FS

var pageTemplates = neutralizeTexts(template.Must(template.New("").
	Funcs(template.FuncMap{"style": styleClass, "number": func(i int) int { return i + 1 }, neutralizer: neutralizeText}).ParseFS(templateFiles, "*.html")))

// neutralizer is the name by which templates call neutralizeText.
const neutralizer = "text"

// neutralizeText makes a value that a page shows one harmless line, if it is a text.
func neutralizeText(v any) any {
	if s, ok := v.(string); ok {
		return printable.Text(s)
	}
	return v
}

// neutralizeTexts makes everything that the templates print go through neutralizeText,
// whether whoever writes them thinks of it or not. What html/template escapes comes on
// top.
func neutralizeTexts(t *template.Template) *template.Template {
	for _, one := range t.Templates() {
		if one.Tree != nil {
			neutralizeNodes(one.Tree.Root)
		}
	}
	return t
}

func neutralizeNodes(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{
					NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{parse.NewIdentifier(neutralizer).SetPos(n.Pos)},
				})
			}
		case *parse.IfNode:
			neutralizeBranches(&n.BranchNode)
		case *parse.RangeNode:
			neutralizeBranches(&n.BranchNode)
		case *parse.WithNode:
			neutralizeBranches(&n.BranchNode)
		}
	}
}

func neutralizeBranches(b *parse.BranchNode) {
	neutralizeNodes(b.List)
	neutralizeNodes(b.ElseList)
}
