#pragma once

#include "actors/messages.hpp"

// What a reply may say is for its sender to choose; that its lists belong together is checked before they are read.
namespace troupe {

/// @throws Error protocol unless there are replicas, and a shape for each tensor.
void check_reply(const Built& built, const Where& where);
/// @throws Error protocol unless each shard is one of the run's and has its loss and number of samples.
void check_reply(const Computed& computed, int num_shards, const Where& where);
/// The same, and how many samples were right.
/// Bytes of what functions returned on a worker. @throws Error protocol
std::size_t check_texts(const TaskDone& done, int devices, const Where& where);
void check_reply(const TaskDone& done, int num_shards, const Where& where);

}  // namespace troupe
