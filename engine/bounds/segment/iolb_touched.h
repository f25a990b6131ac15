#pragma once
// Words that an execution cannot do without: elements that some iteration touches.
#include "engine/bounds/hbl/hbl_nest.h"

namespace heliolite {

// A lower bound of the words of an array's elements that some iteration touches; exact for arrays without a dimension
// twice and with ranks of at most two dimensions. `nest` must not be lifted.
u64 touched_words(const AccessNest& nest, const Access& access);

}  // namespace heliolite
