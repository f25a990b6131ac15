#pragma once
// Why answers are not proven, for people: each reason once, with the layers.
#include <span>
#include <string>

namespace heliolite::cli {

// Why the answer for a layer is not proven.
struct NotProven {
  std::string layer;
  std::string why;  // empty: it is proven, or nothing but the strategy stands in its way
};

// Lines to print below a table of these layers; empty if there is nothing to say.
std::string not_proven_text(std::span<const NotProven> layers);

}  // namespace heliolite::cli
