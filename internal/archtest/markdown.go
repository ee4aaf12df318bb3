package archtest

import "strings"

// Block is a fenced block of a Markdown file.
type Block struct {
	// Language is the word after the opening fence.
	Language string
	// Line is the line of the opening fence, from 1.
	Line int
	Text string
}

// Blocks lists the fenced blocks of a Markdown file. Fences are three
// backquotes at the beginning of a line.
func Blocks(markdown string) []Block {
	const fence = "```"
	var blocks []Block
	open := false
	for i, line := range strings.Split(markdown, "\n") {
		language, isFence := strings.CutPrefix(line, fence)
		switch {
		case isFence && !open:
			blocks = append(blocks, Block{Language: language, Line: i + 1})
			open = true
		case isFence:
			open = false
		case open:
			blocks[len(blocks)-1].Text += line + "\n"
		}
	}
	return blocks
}

// Commands lists the commands of the shell blocks of a Markdown file, without
// comments.
func Commands(markdown string) []string {
	var commands []string
	for _, b := range Blocks(markdown) {
		if b.Language != "sh" {
			continue
		}
		for line := range strings.Lines(b.Text) {
			command, _, _ := strings.Cut(line, " #")
			if command = strings.TrimSpace(command); command != "" && command[0] != '#' {
				commands = append(commands, command)
			}
		}
	}
	return commands
}
