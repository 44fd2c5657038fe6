/** Numbers that carry a digit for checking them: books and credit cards. */

/** The older number of a book. */
export function isIsbn10(text: string): boolean {
  const number = text.replace(/[\t\n\f\r -]+/g, '');
  if (!/^\d{9}[\dX]$/.test(number)) return false;
  return [...number].reduce((sum, digit, i) => sum + (i + 1) * (digit === 'X' ? 10 : Number(digit)), 0) % 11 === 0;
}

/** The newer number of a book. */
export function isIsbn13(text: string): boolean {
  const number = text.replace(/[\t\n\f\r -]+/g, '');
  if (!/^\d{13}$/.test(number)) return false;
  return [...number].reduce((sum, digit, i) => sum + (i % 2 === 0 ? 1 : 3) * Number(digit), 0) % 10 === 0;
}

const cards =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** A number of one of the large issuers. */
export function isCreditCard(text: string): boolean {
  const number = text.replace(/[^0-9]+/g, '');
  const sum = [...number].reverse().reduce((total, char, i) => {
    const digit = Number(char) * (i % 2 === 0 ? 1 : 2);
    return total + (digit > 9 ? digit - 9 : digit);
  }, 0);
  return cards.test(number) && sum % 10 === 0;
}
