#pragma once
// What is wrong with a picture that the program wrote: its tags, or texts over each other or outside.
#include <algorithm>
#include <cstddef>
#include <regex>
#include <string>
#include <vector>

namespace heliolite {

// Whether what stands in a tag after its name is attributes, ` name="value"` each. By hand: values may be long, and the
// standard library's expressions call themselves for every character.
inline bool are_attributes(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t equals = text.find("=\"", at);
    if (text[at] != ' ' || equals == std::string::npos || equals == at + 1) return false;
    const std::size_t end = text.find('"', equals + 2);
    if (end == std::string::npos) return false;
    const std::string name = text.substr(at + 1, equals - at - 1), value = text.substr(equals + 2, end - equals - 2);
    if (name.find_first_of(" <>&") != std::string::npos || value.find_first_of("<>") != std::string::npos) return false;
    at = end + 1;
  }
  return true;
}

// The first thing that is no well-formed XML of the kind written here; "" if nothing is.
inline std::string not_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < svg.size();) {
    const std::size_t begin = svg.find('<', at), end = svg.find('>', begin);
    const std::string between = svg.substr(at, begin == std::string::npos ? begin : begin - at);
    for (std::size_t i = between.find('&'); i != std::string::npos; i = between.find('&', i + 1))
      if (between.compare(i, 5, "&amp;") != 0 && between.compare(i, 4, "&lt;") != 0 &&
          between.compare(i, 4, "&gt;") != 0)
        return "a bare &: " + between;
    if (between.find('>') != std::string::npos) return "a bare >: " + between;
    if (begin == std::string::npos) return open.empty() && between == "\n" ? "" : "at the end: " + between;
    if (end == std::string::npos) return "a tag without end";
    std::string tag = svg.substr(begin + 1, end - begin - 1);
    at = end + 1;
    const bool closes = tag.starts_with('/'), alone = tag.ends_with('/');
    if (alone) tag.pop_back();
    const std::size_t space = std::min(tag.find(' '), tag.size());
    const std::string name = tag.substr(closes ? 1 : 0, space - (closes ? 1 : 0));
    if (name.empty() || !are_attributes(tag.substr(space))) return "no tag: " + tag;
    if (closes) {
      if (open.empty() || open.back() != name) return "closes what is not open: " + tag;
      open.pop_back();
    } else if (!alone) {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

// Pairs of texts that lie over each other, and texts outside the picture, of one that SvgCanvas wrote; characters are
// taken to be half as wide as high, which most are.
inline std::vector<std::string> misplaced_texts(const std::string& svg) {
  struct Text {
    double left, right, top, bottom;
    std::string words;
  };
  std::smatch size;
  if (!std::regex_search(svg, size, std::regex("viewBox=\"0 0 ([0-9.]+) ([0-9.]+)\""))) return {"no viewBox"};
  const double width = std::stod(size[1]), height = std::stod(size[2]);
  const std::regex text(
      "<text x=\"([0-9.-]+)\" y=\"([0-9.-]+)\" font-size=\"([0-9.]+)\" text-anchor=\"([a-z]+)\"[^>]*>([^<]*)<");
  std::vector<Text> texts;
  std::vector<std::string> wrong;
  for (std::sregex_iterator it(svg.begin(), svg.end(), text), end; it != end; ++it) {
    const double x = std::stod((*it)[1]), y = std::stod((*it)[2]), font = std::stod((*it)[3]);
    const double wide = font * 0.5 * static_cast<double>((*it)[5].length());
    const std::string anchor = (*it)[4];
    const double left = anchor == "start" ? x : anchor == "middle" ? x - wide / 2 : x - wide;
    const Text here{left, left + wide, y - 0.8 * font, y + 0.1 * font, (*it)[5]};
    if (here.left < 0 || here.right > width || here.top < 0 || here.bottom > height)
      wrong.push_back(here.words + " is outside");
    for (const Text& other : texts)
      if (here.left < other.right && other.left < here.right && here.top < other.bottom && other.top < here.bottom)
        wrong.push_back(here.words + " over " + other.words);
    texts.push_back(here);
  }
  if (texts.empty()) wrong.emplace_back("no texts");
  return wrong;
}

}  // namespace heliolite
