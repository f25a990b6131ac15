#pragma once
// What Timeloop's files say of sparse tensors and machines. The model is dense: it is refused, or taken out of the
// document with a note (--sparse ignore).
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/yaml_node.h"

namespace heliolite {

// For the end of a complaint.
inline constexpr std::string_view kSparseAdvice =
    "only dense ones are modelled; with --sparse ignore it is read as a dense one";

// Attributes of storages that only sparse machines have, with underscores.
inline constexpr std::string_view kSparseAttributes[] = {
    "metadata_block_size",      "metadata_datawidth",      "metadata_word_bits",
    "metadata_storage_width",   "metadata_storage_depth",  "metadata_counter_width",
    "metadata_width",           "metadata_depth",          "concordant_compressed_tile_traversal",
    "tile_partition_supported", "decompression_supported", "compression_supported"};

// Whether a density, a number or a distribution with one, is 1.
bool is_dense(const YamlNode& density);

// The document without everything that speaks of sparsity. `notes` gets a sentence that
// says what was taken out, and where, if anything was.
YamlNode without_sparse(const YamlNode& document, std::vector<std::string>& notes);

}  // namespace heliolite
