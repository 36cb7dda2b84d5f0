#include "actors/messages/measures.hpp"

#include "fuzz/support.hpp"

using namespace troupe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const MeasureShape shape{.classes = input.number<std::uint8_t>() % 4,
                           .targets = input.number<std::uint8_t>() % 3,
                           .metrics = input.number<std::uint8_t>() % 3,
                           .top_k = input.number<std::uint8_t>() % 2 == 1};
  const std::vector<std::int64_t> samples{input.number<std::uint32_t>(), input.number<std::uint8_t>()};
  const std::string text = input.text();
  fuzz::may_refuse(
      [&] {
        const Measures measures = measures_from_text(shape, samples, text);
        fuzz::expect(to_text(shape, measures) == text, "the measures are read as they were written");
        check_measures(measures, ErrorCode::protocol, {});
        std::int64_t counted = 0;
        for (const std::int64_t count : measures.confusion) counted += count;
        fuzz::expect(measures.confusion.empty() || counted == samples[0] + samples[1], "each sample counts once");
      },
      {ErrorCode::protocol});
  return 0;
}
