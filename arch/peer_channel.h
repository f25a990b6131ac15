#pragma once
// The channel between peers: receivers of a fan-out may take words from each other instead of from the level outside.
// Machines, files, options, records, reports and messages spell it by the row below; counts, prices and searches carry
// its words without knowing how they travel. The one channel there is are link transfers between neighbours
// (docs/link_transfers.md), which engine/model/links.h counts.

namespace heliolite {

struct PeerChannel {
  const char* name;      // in sentences
  const char* field;     // of machines, of recorded runs, and of what a user says of machines: on or off
  const char* option;    // of commands, which overrules the machine
  const char* excludes;  // field of a fan-out's constraints and of mappings: tensors whose words do not take it
  const char* words;     // in JSON: words that receivers take from peers
  const char* energy;    // in JSON, without its unit: what these cost
  const char* column;    // of tables: the same words
  const char* without;   // in JSON: what is known of an answer where no words take it
};

inline constexpr PeerChannel kPeerChannel{.name = "link transfers",
                                          .field = "link_transfers",
                                          .option = "--link-transfers",
                                          .excludes = "no_link_transfer",
                                          .words = "links",
                                          .energy = "link_energy",
                                          .column = "over links",
                                          .without = "without_links"};

}  // namespace heliolite
