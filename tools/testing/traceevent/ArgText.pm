# SPDX-License-Identifier: GPL-2.0
#
# Split the text of arguments

package ArgText;

use strict;
use warnings;
use parent 'Exporter';

our @EXPORT = qw(split_args);

# Split "a=1, b={.x=1, .y=2}", without parentheses, at its outer commas
sub split_args {
	my ($text) = @_;
	my @args;

	while ($text =~ /\G((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(\{(?:[^{}"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?2))*\})|\([^()]*\)|[^,"'{(])+)(?:, )?/g) {
		push(@args, $1);
	}
	return @args;
}

1;
