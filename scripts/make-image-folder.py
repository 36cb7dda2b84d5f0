#!/usr/bin/python3
"""Creates a folder of JPEG files with a folder per class, for tests of programs that learn from images.

Each class is a picture of the font in Debian's fonts-noto-color-emoji, drawn at a random size, angle, place and
brightness, sometimes half hidden, on a background of coloured noise. Writes DIR/train and DIR/test with images of about
300 x 200 pixels. These are not photographs: results on them do not predict results on photographs. Needs Debian's
python3-pil and fonts-noto-color-emoji; exits with 77 if one is missing. The same seed creates the same folder."""

import argparse
import os
import random
import sys

try:
    from PIL import Image, ImageDraw, ImageEnhance, ImageFont
except ImportError:
    print("make-image-folder: needs Debian's python3-pil", file=sys.stderr)
    sys.exit(77)

FONT = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"
FIRST = "1f400"  # animals, and the symbols after them


def symbol(letter, font):
    picture = Image.new("RGBA", (160, 160))
    ImageDraw.Draw(picture).text((12, 12), letter, font=font, embedded_color=True)
    box = picture.getbbox()
    return picture.crop(box) if box else None


def background(size, draw):
    """Returns smooth noise of a few colours."""
    small = Image.new("RGB", (draw.randint(3, 12), draw.randint(2, 8)))
    small.putdata([tuple(draw.randint(0, 255) for _ in range(3)) for _ in range(small.width * small.height)])
    return small.resize(size, Image.BICUBIC)


def picture(symbols, number, draw):
    width, height = draw.randint(260, 340), draw.randint(180, 220)
    image = background((width, height), draw)
    for other in [draw.randrange(len(symbols)) for _ in range(draw.randint(0, 1))] + [number]:
        side = draw.randint(70, 170) if other == number else draw.randint(30, 60)
        shape = symbols[other].rotate(draw.uniform(-30, 30), expand=True, resample=Image.BICUBIC)
        shape = ImageEnhance.Brightness(shape).enhance(draw.uniform(0.5, 1.4))
        shape = shape.resize((side, max(1, side * shape.height // shape.width)))
        at = (draw.randint(-side // 5, width - side * 4 // 5), draw.randint(-side // 5, height - side * 4 // 5))
        image.paste(shape, at, shape)
    return image


def write(folder, symbols, letters, count, draw):
    for i in range(count):
        number = i % len(symbols)
        path = os.path.join(folder, f"u{ord(letters[number]):x}")
        os.makedirs(path, exist_ok=True)
        name = os.path.join(path, f"{i // len(symbols):04}.jpg")
        picture(symbols, number, draw).save(name, quality=draw.randint(70, 92))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--classes", type=int, default=101)
    parser.add_argument("--images", type=int, default=9000, help="in train/ and test/ together; a sixth is in test/")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", default=FIRST, metavar="CODE", type=lambda code: int(code, 16),
                        help=f"hexadecimal code point of the first class; defaults to {FIRST}")
    options = parser.parse_args()
    if not os.path.exists(FONT):
        print("make-image-folder: needs Debian's fonts-noto-color-emoji", file=sys.stderr)
        sys.exit(77)
    font = ImageFont.truetype(FONT, 109)  # the only size of the font
    found = [(chr(code), symbol(chr(code), font)) for code in range(options.first, options.first + 3 * options.classes)]
    letters, symbols = zip(*[each for each in found if each[1]][: options.classes])
    draw = random.Random(options.seed)
    tests = options.images // 6
    write(os.path.join(options.folder, "train"), symbols, letters, options.images - tests, draw)
    write(os.path.join(options.folder, "test"), symbols, letters, tests, draw)
    print(f"{options.images} drawn images (no photographs) of {len(symbols)} classes in {options.folder}")


if __name__ == "__main__":
    main()
