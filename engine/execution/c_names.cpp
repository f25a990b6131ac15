#include "engine/execution/c_names.h"

#include <cctype>

namespace heliolite {

CNames::CNames()
    : taken_{
          "auto",         "break",        "case",     "char",     "const",  "continue", "default", "do",     "double",
          "else",         "enum",         "extern",   "float",    "for",    "goto",     "if",      "inline", "int",
          "long",         "register",     "restrict", "return",   "short",  "signed",   "sizeof",  "static", "struct",
          "switch",       "typedef",      "union",    "unsigned", "void",   "volatile", "while",   "main",   "printf",
          "clock",        "NULL",         "ELEMENT",  "LINE",     "MIN",    "touch",    "plain",   "tiled",  "fill",
          "EXIT_SUCCESS", "EXIT_FAILURE", "FILE",     "stdout",   "stderr", "putchar",  "y0",      "y1",     "yn",
          "j0",           "j1",           "jn",       "gamma",    "exp",    "log",      "pow",     "sin",    "cos",
          "div",          "abs",          "index",    "time",     "signal", "select",   "seconds", "wrong",  "checksum",
          "loaded",       "stored",       "start",    "middle",   "end",    "i",        "line",    "x1",     "x2",
          "x3",           "x4",           "x5",       "x6",       "x7",     "x8"} {}

std::string CNames::unique(std::string_view name) {
  std::string text;
  for (const char c : name) text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0) text = "v" + text;
  // Names that begin with an underscore belong to the language.
  if (text.front() == '_') text = "v" + text;
  while (!taken_.insert(text).second) text += '_';
  return text;
}

}  // namespace heliolite
