/** A picture of terminal output: text with ANSI colours becomes an SVG. Pure. */

const column = 8.4;
const row = 19;
const margin = 16;

/** The colours that our programs use: by their ANSI code, readable on the dark ground. */
const colors: Readonly<Record<string, string>> = {
  '31': '#ff7b72',
  '32': '#7ee787',
  '33': '#e3b341',
  '36': '#79c0ff',
  '90': '#8b949e',
};

const escapeCharacter = '\u001b';
const colorCode = new RegExp(`${escapeCharacter}\\[(\\d+)m`);

/** Lines longer than `columns` are cut, as a narrow terminal would hide their end. */
export function terminalSvg(text: string, { columns, title }: { readonly columns: number; readonly title: string }) {
  const lines = text.trimEnd().split('\n');
  const [width, height] = [2 * margin + columns * column, 2 * margin + lines.length * row];
  const rows = lines.map((line, index) => {
    const y = margin + (index + 0.75) * row;
    return `  <text x="${margin}" y="${y}" xml:space="preserve">${spansOf(line, columns)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
  <title>${escaped(title)}</title>
  <style>text { font: 14px ui-monospace, Menlo, Consolas, monospace; fill: #e6edf3; white-space: pre }</style>
  <rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${rows.join('\n')}
</svg>
`;
}

function spansOf(line: string, columns: number): string {
  let [room, color, spans] = [columns, '', ''];
  // Odd parts are the codes.
  for (const [index, part] of line.split(colorCode).entries()) {
    if (index % 2 === 1) color = colors[part] ?? '';
    else if (part !== '' && room > 0) {
      const shown = part.length > room ? `${part.slice(0, room - 1)}…` : part;
      room -= part.length;
      spans += color === '' ? escaped(shown) : `<tspan fill="${color}">${escaped(shown)}</tspan>`;
    }
  }
  return spans;
}

/** The lines that a picture shows, without colours. */
export function linesOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, spans = '']) =>
    spans
      .replace(/<[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  );
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
