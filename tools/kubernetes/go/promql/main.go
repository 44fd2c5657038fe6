// Reads PromQL expressions, one a line, and prints one line for each: the metrics that it names, or what is wrong with it.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"
)

func main() {
	promql := parser.NewParser(parser.Options{})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		expression, err := promql.ParseExpr(lines.Text())
		if err != nil {
			fmt.Println("error:", strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		names := []string{}
		parser.Inspect(expression, func(node parser.Node, _ []parser.Node) error {
			if selector, ok := node.(*parser.VectorSelector); ok {
				names = append(names, selector.Name)
			}
			return nil
		})
		fmt.Println(strings.Join(names, " "))
	}
}
