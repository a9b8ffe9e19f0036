package searchnode.plugin;

import java.io.IOException;
import java.io.StringReader;
import java.text.ParseException;
import java.util.List;
import java.util.function.Function;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.synonym.SolrSynonymParser;
import org.apache.lucene.analysis.synonym.SynonymGraphFilter;
import org.apache.lucene.analysis.synonym.SynonymMap;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.index.IndexService.IndexCreationContext;
import org.elasticsearch.index.analysis.AbstractTokenFilterFactory;
import org.elasticsearch.index.analysis.CharFilterFactory;
import org.elasticsearch.index.analysis.CustomAnalyzer;
import org.elasticsearch.index.analysis.TokenFilterFactory;
import org.elasticsearch.index.analysis.TokenizerFactory;

/** Inline synonyms in Solr's notation: the setting {@code synonyms}, and no other. */
final class Synonyms extends AbstractTokenFilterFactory {

    private final Settings settings;

    Synonyms(String name, Settings settings) {
        super(name);
        this.settings = settings;
    }

    @Override
    public TokenStream create(TokenStream tokens) {
        throw new IllegalStateException("Synonyms need to know the filters before them");
    }

    /** Synonyms go through the tokenizer and filters before this one, as the text does. */
    @Override
    public TokenFilterFactory getChainAwareTokenFilterFactory(
        IndexCreationContext context,
        TokenizerFactory tokenizer,
        List<CharFilterFactory> charFilters,
        List<TokenFilterFactory> previous,
        Function<String, TokenFilterFactory> all
    ) {
        SynonymMap map = parse(
            new CustomAnalyzer(
                tokenizer,
                charFilters.toArray(CharFilterFactory[]::new),
                previous.toArray(TokenFilterFactory[]::new)
            )
        );
        return new AbstractTokenFilterFactory(name()) {
            @Override
            public TokenStream create(TokenStream tokens) {
                return map.fst == null ? tokens : new SynonymGraphFilter(tokens, map, false);
            }
        };
    }

    private SynonymMap parse(Analyzer analyzer) {
        SolrSynonymParser parser = new SolrSynonymParser(true, true, analyzer);
        try {
            parser.parse(new StringReader(String.join("\n", settings.getAsList("synonyms"))));
            return parser.build();
        } catch (IOException | ParseException e) {
            throw new IllegalArgumentException("The synonyms of filter [" + name() + "] cannot be read", e);
        }
    }
}
