#include "actors/driver/transfers.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "actors/messages/call.hpp"
#include "actors/messages/vectors.hpp"

namespace troupe {
namespace {

/// Returns the number of floats that a transfer object needs to contain `bytes` bytes.
std::size_t floats_for(std::size_t bytes) { return (bytes + sizeof(float) - 1) / sizeof(float); }

}  // namespace

int Transfers::converter(int vector) const {
  const std::vector<int> workers = members_.workers();
  if (const int shard = shape_.shard_of(vector); shard >= 0) {
    const auto has = [&](int worker) {
      const Range shards = members_.shards_of(worker);
      return static_cast<std::size_t>(shard) >= shards.begin && static_cast<std::size_t>(shard) < shards.end;
    };
    return *std::ranges::find_if(workers, has);
  }
  const auto free = std::ranges::find_if(workers, [this](int worker) { return !rounds_.owes(worker); });
  return free == workers.end() ? workers.front() : *free;
}

template <class Work>
void Transfers::guard(Work work) try {
  work();
} catch (...) {
  rounds_.unsettle();
  home_.forget_transfers();
  throw;
}

HeldFloats Transfers::fetch(const VectorPart& part, int buffer, const Phase& phase) {
  HeldFloats fetched;
  guard([&] {
    home_.gather(part.vector, buffer, phase);
    fetched = export_from(converter(part.vector), part, buffer, phase);
  });
  return fetched;
}

HeldFloats Transfers::fetch_weights(int worker, int buffer, std::size_t floats, const Phase& phase) {
  HeldFloats fetched;
  guard([&] { fetched = export_from(worker, {kWeightsVector, 0, floats}, buffer, phase); });
  return fetched;
}

HeldFloats Transfers::export_from(int worker, const VectorPart& part, int buffer, const Phase& phase) {
  const std::uint64_t canonical = home_.lend(++last_, worker, part.floats, phase);
  rounds_.ask(ExportVector{0, part.vector, buffer, canonical, part.begin, part.floats}, {worker}, phase);
  return home_.fetch(canonical, worker, part.floats, phase);
}

Transfers::Writing::Writing(Transfers& transfers, std::size_t floats, std::size_t size)
    : transfers_(transfers), floats_(floats), size_(size), from_(++transfers.last_), flat_(++transfers.last_) {}

void Transfers::Writing::write(const FillFloats& fill, int vector, int buffer, const Phase& phase) {
  transfers_.guard([&] {
    StateHome& home = transfers_.home_;
    const int converter = transfers_.converter(vector);
    home.put(from_, {converter}, floats_, fill, phase);
    home.create(flat_, converter, size_, phase);
    transfers_.rounds_.ask(ImportVector{0, from_, flat_}, {converter}, phase);
    home.place(flat_, vector, buffer, phase);
  });
}

void Transfers::initialize(std::size_t size, int buffer, const Phase& phase) {
  guard([&] {
    const int converter = this->converter(kWeightsVector);
    const std::uint64_t flat = ++last_;
    home_.create(flat, converter, size, phase);
    rounds_.ask(Initialize{0, flat}, {converter}, phase);
    home_.place(flat, kWeightsVector, buffer, phase);
    home_.forget_transfers();
  });
}

void Transfers::clear(int buffer, const Phase& phase) {
  guard([&] { home_.clear(buffer, phase); });
}

void Transfers::lend_text(const std::string& text, const std::vector<int>& readers,
                          const std::function<void(std::uint64_t transfer)>& use, const Phase& phase) {
  guard([&] {
    const std::uint64_t number = ++last_;
    const auto fill = [&](std::span<float> floats) {
      floats.back() = 0;  // set the padding to zero: the text may end in the middle of the last float
      std::memcpy(floats.data(), text.data(), text.size());
    };
    home_.put(number, readers, floats_for(text.size()), fill, phase);
    use(number);
    home_.withdraw(readers, phase);
  });
}

std::vector<std::string> Transfers::fetch_texts(int worker, const std::vector<std::uint64_t>& lengths,
                                                const Phase& phase) {
  const std::uint64_t bytes = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  std::vector<std::string> texts(lengths.size());
  if (bytes == 0) return texts;
  guard([&] {
    const std::size_t floats = floats_for(bytes);
    const std::uint64_t text = ++last_;
    home_.create(text, worker, floats, phase);
    rounds_.ask(ExportTexts{0, text}, {worker}, phase);
    const HeldFloats written = home_.fetch(text, worker, floats, phase);
    const char* from = reinterpret_cast<const char*>(written.floats.data());
    for (std::size_t i = 0; i < texts.size(); from += lengths[i++]) texts[i].assign(from, lengths[i]);
  });
  return texts;
}

}  // namespace troupe
