#pragma once
// Which dimensions of a link are which ranks of an array that other links touch, too. A loop around several links
// divides all of them alike over such ranks alone.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/integers.h"
#include "workloads/workload.h"

namespace heliolite {

// Sizes of a link's dimensions: its own, or what loops around it leave of them.
using LinkSizes = std::vector<u64>;

LinkSizes sizes_of(const Workload& link);

// Positions along a rank of tiles of these sizes.
u64 rank_extent(const Rank& rank, const LinkSizes& sizes);
// Words of such a tile of tensor v.
u64 tile_words(const Workload& link, int v, const LinkSizes& sizes);

// The rank of tensor v that has the dimension.
std::optional<int> rank_with(const Workload& link, int v, int dimension);
bool has_dimension(const Workload& link, int v, int dimension);
// Whether the rank of tensor v is one dimension, position by position, like the rows of a 1 x 1 convolution; else it
// slides.
bool is_plain(const Workload& link, int v, int rank);
// The dimension whose steps are steps along the rank: of a rank that slides the only one that the output has. None:
// there is no such dimension, or several.
std::optional<int> line_dimension(const Workload& link, int v, int rank);
// Whether the dimension counts the positions of a window (r of p + r), or the windows (p).
bool is_in_window(const Workload& link, int dimension);
bool counts_windows(const Workload& link, int dimension);

// A rank of an array as one of the links that touch it has it. Lists stand for their product, the outermost dimension
// first.
struct CommonRank {
  std::vector<int> array;  // dimensions of the first link that touches the array
  std::vector<int> own;    // of this link
  bool slides = false;     // this link reads windows along the rank
  u64 stride = 1, window = 1;
  u64 border = 0;       // lines that it reads beyond those made, all of them before the first one
  bool divides = true;  // loops around both links may be over the rank

  u64 overlap() const { return window > stride ? window - stride : 0; }  // lines of neighbouring windows
};

// The ranks of tensor v that a loop could be over, with the link as the first that touches the array.
std::vector<CommonRank> own_ranks(const Workload& link, int v);

// Dimensions of the maker of an array that are dimensions of a reader, as a file states them.
struct StatedPair {
  std::vector<int> maker, reader;
};

// A tensor of a link.
struct LinkTensor {
  const Workload* link = nullptr;
  int tensor = 0;

  const Tensor& operator*() const { return link->tensors[tensor]; }
};

// How the ranks of `reader` correspond with those of the array that `first` makes or, with `from_input`, reads before
// it. Without `stated` pairs they do if sizes leave one way only. Empty, with the reason in `why_not`, if they do not.
std::vector<CommonRank> common_ranks(LinkTensor first, bool from_input, LinkTensor reader,
                                     const std::optional<std::vector<StatedPair>>& stated, std::string& why_not);

}  // namespace heliolite
